// Elements of one tap in both arms: a tile that a report keeps, or what the engine computed again. Made from bytes once, so that a million of them can be looked through.
import * as l10n from '@vscode/l10n';
import type { Tile } from '../../shared/report';
import { elementOf, elementSize, floatOf, isFloat, ulpBetween, unravel, type ElementPair } from './elements';

export interface PairSource {
  readonly dtype: string;
  /** Of the whole row. */
  readonly shape: readonly number[];
  /** Flat index of the first element that is here. */
  readonly start: number;
  /** Elements of the whole row. */
  readonly total: number;
  /** Little-endian. */
  readonly a: Uint8Array;
  readonly b: Uint8Array;
}

const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export class TensorPair {
  readonly size: number;
  /** Elements that are here, `start` on. */
  readonly count: number;
  /** Flat indices of those that differ, ascending. */
  readonly differing: Uint32Array;

  /** Throws a sentence when the bytes are not whole elements of both arms. */
  constructor(readonly source: PairSource) {
    const { dtype, a, b } = source;
    this.size = elementSize(dtype) || 1;
    if (a.length !== b.length || a.length % this.size !== 0) throw new Error(l10n.t('There are no whole {0} elements of both arms.', dtype));
    this.count = a.length / this.size;
    this.differing = this.compared();
  }

  /** Whether a flat index is among those that are here. */
  has(index: number): boolean {
    return index >= this.source.start && index < this.source.start + this.count;
  }

  /** The element at a flat index that is here. */
  at(index: number): ElementPair {
    const { dtype, shape } = this.source;
    const [a, b] = [elementOf(this.hex(this.source.a, index), dtype), elementOf(this.hex(this.source.b, index), dtype)];
    return { index, at: unravel(index, shape), a, b, differs: a.bits !== b.bits, ulp: ulpBetween(a.bits, b.bits, dtype) };
  }

  /** The element of each arm as a number; integers of 64 bits lose what a number cannot hold. */
  values(index: number): readonly [number, number] {
    return [this.value(this.source.a, index), this.value(this.source.b, index)];
  }

  /** Representable values between the arms at a flat index, NaN where that means nothing. */
  ulp(index: number): number {
    const { dtype, a, b } = this.source;
    const bits = this.size * 8;
    if (bits > 32) return Number(ulpBetween(elementOf(this.hex(a, index), dtype).bits, elementOf(this.hex(b, index), dtype).bits, dtype) ?? NaN);
    const [x, y] = [this.raw(a, index), this.raw(b, index)];
    if (isFloat(dtype)) return Math.abs(floatOrdinal(x, dtype, bits) - floatOrdinal(y, dtype, bits));
    if (elementSize(dtype) === 0) return NaN;
    return Math.abs(dtype.startsWith('i') ? signed(x, bits) - signed(y, bits) : x - y);
  }

  private value(bytes: Uint8Array, index: number): number {
    const { dtype } = this.source;
    if (this.size > 4) return Number(elementOf(this.hex(bytes, index), dtype).value);
    const raw = this.raw(bytes, index);
    return floatOf(raw, dtype) ?? (dtype.startsWith('i') ? signed(raw, this.size * 8) : raw);
  }

  private compared(): Uint32Array {
    const { a, b, start } = this.source;
    const found: number[] = [];
    for (let byte = 0; byte < a.length; byte++) {
      if (a[byte] === b[byte]) continue;
      const element = Math.floor(byte / this.size);
      found.push(start + element);
      byte = (element + 1) * this.size - 1;
    }
    return Uint32Array.from(found);
  }

  /** The bits of an element of at most 32 of them, as an unsigned number. */
  private raw(bytes: Uint8Array, index: number): number {
    let bits = 0;
    for (let byte = this.size - 1; byte >= 0; byte--) bits = bits * 256 + (bytes[(index - this.source.start) * this.size + byte] ?? 0);
    return bits;
  }

  private hex(bytes: Uint8Array, index: number): string {
    const from = (index - this.source.start) * this.size;
    let hex = '';
    for (let byte = from; byte < from + this.size; byte++) hex += hexDigits[bytes[byte] ?? 0] ?? '00';
    return hex;
  }
}

const signed = (raw: number, bits: number): number => (raw >= 2 ** (bits - 1) ? raw - 2 ** bits : raw);

/** The exponent of an infinity, of the types of up to 32 bits: what is above it is NaN. */
const infinities: Readonly<Record<string, number>> = { f32: 0x7f800000, bf16: 0x7f80, f16: 0x7c00 };

/** Place among all values of the type, ascending, NaN for a NaN; +0 and -0 share one. */
function floatOrdinal(raw: number, dtype: string, bits: number): number {
  const sign = 2 ** (bits - 1);
  const size = raw % sign;
  if (size > (infinities[dtype] ?? 0)) return NaN;
  return raw >= sign ? -size : size;
}

function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Throws a sentence when it is not base64. */
export function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** A tile of a row of `total` elements. Throws a sentence when its hex is not whole elements. */
export function pairOfTile(tile: Tile, total: number): TensorPair {
  if (tile.a.length !== tile.b.length || tile.a.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(tile.a + tile.b)) throw new Error(l10n.t('The tile does not hold whole {0} elements for both arms.', tile.dtype));
  return new TensorPair({ dtype: tile.dtype, shape: tile.shape, start: tile.start, total, a: bytesOfHex(tile.a), b: bytesOfHex(tile.b) });
}
