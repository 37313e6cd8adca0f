// What differs between two bit patterns, by what the bits mean.
import { isFloat } from './elements';

/** Bits of sign, exponent and mantissa. */
const parts: Readonly<Record<string, readonly [number, number, number]>> = { bf16: [1, 8, 7], f16: [1, 5, 10], f32: [1, 8, 23], f64: [1, 11, 52] };

/** The bits that differ as ones, most significant first: sign, exponent and mantissa of a float, bytes of an integer. `a` and `b`: hex of one length. */
export function xorBits(a: string, b: string, dtype: string): readonly string[] {
  const bits = (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2).padStart(4 * a.length, '0');
  const lengths = parts[dtype] ?? Array.from({ length: a.length / 2 }, () => 8);
  let from = 0;
  return lengths.map((length) => bits.slice(from, (from += length)));
}

/** Whether one is negative and the other is not, -0 among the negative ones. */
export function signDiffers(a: string, b: string, dtype: string): boolean {
  if (!isFloat(dtype) && !dtype.startsWith('i')) return false;
  const negative = (bits: string): boolean => Number.parseInt(bits.charAt(0), 16) >= 8;
  return negative(a) !== negative(b);
}
