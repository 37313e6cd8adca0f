// Reads both kinds of file back by their format alone, sharing nothing with what wrote them.
import { readFileSync } from 'node:fs';

export type Tensors = Map<string, { shape: number[]; values: Float32Array }>;

function bf16(bits: number): number {
  return new Float32Array(Uint32Array.of(bits << 16).buffer)[0] ?? NaN;
}

function f16(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return NaN;
  return sign * (exponent === 0 ? 2 ** -14 * (fraction / 1024) : 2 ** (exponent - 15) * (1 + fraction / 1024));
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** Matrices dequantised: scale * code + bias by group of `group`. */
export function readMlx(file: string, group: number): Tensors {
  const bytes = readFileSync(file);
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, start).toString()) as Record<string, Entry>;
  const raw = (name: string): Buffer => bytes.subarray(start + header[name]!.data_offsets[0], start + header[name]!.data_offsets[1]);
  const tensors: Tensors = new Map();
  for (const [name, { dtype, shape }] of Object.entries(header)) {
    if (name === '__metadata__' || /\.(scales|biases)$/.test(name)) continue;
    const data = raw(name);
    if (dtype !== 'U32') {
      const values = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => (dtype === 'F32' ? data.readFloatLE(4 * i) : bf16(data.readUInt16LE(2 * i))));
      tensors.set(name, { shape, values });
      continue;
    }
    const [rows = 0, words = 0] = shape;
    const module = name.replace(/\.weight$/, '');
    const [scales, biases] = [raw(`${module}.scales`), raw(`${module}.biases`)];
    const values = new Float32Array(rows * words * 8);
    for (const i of values.keys()) {
      const code = (data.readUInt32LE(4 * (i >> 3)) >>> (4 * (i & 7))) & 15;
      const at = 2 * Math.floor(i / group);
      values[i] = bf16(scales.readUInt16LE(at)) * code + bf16(biases.readUInt16LE(at));
    }
    tensors.set(name, { shape: [rows, words * 8], values });
  }
  return tensors;
}

class Cursor {
  at = 0;
  constructor(readonly bytes: Buffer) {}
  u32(): number {
    return this.bytes.readUInt32LE((this.at += 4) - 4);
  }
  u64(): number {
    return Number(this.bytes.readBigUInt64LE((this.at += 8) - 8));
  }
  text(): string {
    const length = this.u64();
    return this.bytes.subarray(this.at, (this.at += length)).toString();
  }
  value(type: number): unknown {
    if (type === 4 || type === 5) return this.u32();
    if (type === 6) return this.bytes.readFloatLE((this.at += 4) - 4);
    if (type === 8) return this.text();
    const [of, length] = [this.u32(), this.u64()];
    return Array.from({ length }, () => this.value(of));
  }
}

export function readGguf(file: string): { metadata: Map<string, unknown>; tensors: Tensors } {
  const cursor = new Cursor(readFileSync(file));
  if (cursor.u32() !== 0x4655_4747 || cursor.u32() !== 3) throw new Error('no GGUF of version 3');
  const [count, entries] = [cursor.u64(), cursor.u64()];
  const metadata = new Map(Array.from({ length: entries }, () => [cursor.text(), cursor.value(cursor.u32())] as const));
  const infos = Array.from({ length: count }, () => {
    const name = cursor.text();
    const dims = Array.from({ length: cursor.u32() }, () => cursor.u64());
    return { name, dims, type: cursor.u32(), offset: cursor.u64() };
  });
  const start = Math.ceil(cursor.at / 32) * 32;
  const tensors: Tensors = new Map();
  for (const { name, dims, type, offset } of infos) {
    const size = dims.reduce((a, b) => a * b, 1);
    tensors.set(name, { shape: dims.toReversed(), values: ggufValues(cursor.bytes.subarray(start + offset), type, size) });
  }
  return { metadata, tensors };
}

function ggufValues(data: Buffer, type: number, size: number): Float32Array {
  if (type === 0) return Float32Array.from({ length: size }, (_, i) => data.readFloatLE(4 * i));
  const { head, least } = { 2: { head: 2, least: (at: number) => -8 * f16(data.readUInt16LE(at)) }, 3: { head: 4, least: (at: number) => f16(data.readUInt16LE(at + 2)) } }[type]!;
  return Float32Array.from({ length: size }, (_, i) => {
    const at = Math.floor(i / 32) * (head + 16);
    const byte = data[at + head + (i % 16)]!;
    const code = i % 32 < 16 ? byte & 15 : byte >> 4;
    return f16(data.readUInt16LE(at)) * code + least(at);
  });
}
