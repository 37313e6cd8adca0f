// Floating-point numbers out of a tensor that stays in the engine. Little-endian, as all tensors are.
import type { Dtype, Tensor } from './types';

const sizes: Readonly<Partial<Record<Dtype, number>>> = { f32: 4, bf16: 2, f16: 2, f64: 8 };

function sizeOf(dtype: Dtype): number {
  const size = sizes[dtype];
  if (size === undefined) throw new Error(`numbers of dtype ${dtype} cannot be read as floats`);
  return size;
}

/** Element `index` of row `row` of a tensor [rows, width]. */
export async function readElement(tensor: Tensor, row: number, index: number): Promise<number> {
  const size = sizeOf(tensor.dtype);
  const bytes = await tensor.read((row * (tensor.shape.at(-1) ?? 0) + index) * size, size);
  return floats(bytes, tensor.dtype)[0] ?? NaN;
}

/** Every row of a tensor [rows, width]. f64 is rounded to f32. */
export async function readRows(tensor: Tensor): Promise<Float32Array[]> {
  const width = tensor.shape.at(-1) ?? 0;
  const values = floats(await tensor.read(), tensor.dtype);
  return Array.from({ length: width === 0 ? 0 : values.length / width }, (_, row) => values.subarray(row * width, (row + 1) * width));
}

function floats(bytes: Uint8Array, dtype: Dtype): Float32Array {
  const size = sizeOf(dtype);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = readers[dtype] ?? readers.f32;
  return Float32Array.from({ length: bytes.byteLength / size }, (_, i) => read?.(view, i * size) ?? NaN);
}

const scratch = new DataView(new ArrayBuffer(4));

const readers: Readonly<Partial<Record<Dtype, (view: DataView, at: number) => number>>> = {
  f32: (view, at) => view.getFloat32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
  f16: (view, at) => half(view.getUint16(at, true)),
  bf16: (view, at) => {
    scratch.setUint32(0, view.getUint16(at, true) << 16);
    return scratch.getFloat32(0);
  },
};

/** IEEE 754 binary16. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
