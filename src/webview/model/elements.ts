// Elements of a tile: hex of little-endian bytes to bit patterns, values and ULP distances. Floats are IEEE 754; bf16 is the upper half of an f32.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';

const dtypes = {
  f64: 8, f32: 4, f16: 2, bf16: 2,
  i64: 8, u64: 8, i32: 4, u32: 4, i16: 2, u16: 2, i8: 1, u8: 1, bool: 1,
} as const; // prettier-ignore
type KnownDtype = keyof typeof dtypes;
const floats: readonly string[] = ['f64', 'f32', 'f16', 'bf16'];

export interface Element {
  /** Bit pattern, most significant digit first, no prefix. */
  readonly bits: string;
  readonly value: string;
}

export interface ElementPair {
  /** Flat index within the row that was compared. */
  readonly index: number;
  /** Index per dimension, [] when there is no shape. */
  readonly at: readonly number[];
  readonly a: Element;
  readonly b: Element;
  readonly differs: boolean;
  /** Representable values between a and b, null where that means nothing (NaN, unknown dtype). */
  readonly ulp: bigint | null;
}

const known = (dtype: string): dtype is KnownDtype => Object.hasOwn(dtypes, dtype);

export const isFloat = (dtype: string): boolean => floats.includes(dtype);

/** Bytes of one element, 0 for a dtype this page does not know. */
export const elementSize = (dtype: string): number => (known(dtype) ? dtypes[dtype] : 0);

/** "803f" (little-endian) as "3f80". */
export function bitsOf(hex: string): string {
  let bits = '';
  for (let i = hex.length - 2; i >= 0; i -= 2) bits += hex.slice(i, i + 2);
  return bits.toLowerCase();
}

const view = new DataView(new ArrayBuffer(8));

function f16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

function f32(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

/** The float of at most 32 bits that a bit pattern stands for; null for other dtypes. */
export function floatOf(raw: number, dtype: string): number | null {
  switch (dtype) {
    case 'f16':
      return f16(raw);
    case 'bf16':
      return f32(raw * 0x10000);
    case 'f32':
      return f32(raw);
    default:
      return null;
  }
}

/** The number a bit pattern stands for; null for 64-bit integers (see `text`) and unknown dtypes. */
export function numberOf(bits: string, dtype: string): number | null {
  if (dtype !== 'f64') return floatOf(Number(`0x${bits}`), dtype);
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

/** Digits that tell neighbours of the dtype apart. */
const digits: Readonly<Record<string, number>> = { bf16: 4, f16: 5, f32: 9, f64: 17 };

function valueText(bits: string, dtype: string): string {
  const n = numberOf(bits, dtype);
  if (n === null) return known(dtype) ? integerOf(bits, dtype).toString() : '';
  if (Object.is(n, -0)) return '-0';
  if (n === 0 || !Number.isFinite(n)) return String(n);
  const size = Math.abs(n);
  const precision = digits[dtype] ?? 9;
  return size < 1e-4 || size >= 1e6 ? n.toExponential(precision - 1) : n.toPrecision(precision);
}

function integerOf(bits: string, dtype: string): bigint {
  const raw = BigInt(`0x${bits}`);
  return dtype.startsWith('i') ? BigInt.asIntN(bits.length * 4, raw) : raw;
}

/** Place of a bit pattern among all values of its dtype, in ascending order; +0 and -0 share one. */
function ordinal(bits: string, dtype: string): bigint {
  if (!floats.includes(dtype)) return integerOf(bits, dtype);
  const raw = BigInt(`0x${bits}`);
  const sign = 1n << BigInt(bits.length * 4 - 1);
  return raw & sign ? -(raw ^ sign) : raw;
}

/** Representable values between two bit patterns; null for NaN and for dtypes this page does not know. */
export function ulpBetween(a: string, b: string, dtype: string): bigint | null {
  if (!known(dtype)) return null;
  if (floats.includes(dtype) && (Number.isNaN(numberOf(a, dtype)) || Number.isNaN(numberOf(b, dtype)))) return null;
  const distance = ordinal(a, dtype) - ordinal(b, dtype);
  return distance < 0n ? -distance : distance;
}

export function elementOf(hex: string, dtype: string): Element {
  const bits = bitsOf(hex);
  return { bits, value: valueText(bits, dtype) };
}

/** No tensor has more dimensions; the place in one that says so is its flat index. */
const mostDimensions = 16;

/** Flat index to one index per dimension, row-major. */
export function unravel(index: number, shape: readonly number[]): readonly number[] {
  if (shape.length > mostDimensions) return [];
  const at: number[] = [];
  let rest = index;
  for (const length of [...shape].reverse()) {
    if (length <= 0) return [];
    at.unshift(rest % length);
    rest = Math.floor(rest / length);
  }
  return rest === 0 ? at : [];
}

/** "[2, 3]" */
export const shapeInWords = (shape: readonly number[]): string => (shape.length <= mostDimensions ? `[${shape.join(', ')}]` : `[${shape.slice(0, mostDimensions).join(', ')}, … ${l10n.t('{0} dimensions', formatCount(shape.length))}]`);
