// The numbers of the synthetic models: from the name of a tensor and a seed alone, so that every file of a shape holds the same ones.
import type { FloatTensor, MatrixTensor } from './tensors';

/** Weights of a group share scale and bias in the MLX file. */
export const groupSize = 64;
/** Standard deviation of a code that is uniform from -8 to 7. */
const codeDeviation = Math.sqrt((16 * 16 - 1) / 12);

/** A stream of 32-bit numbers: Doty-Humphrey's small fast counter generator, sfc32. */
export function randomWords(seed: string): () => number {
  const start = fnv1a(seed);
  let [a, b, c, counter] = [start, start ^ 0x9e37_79b9, start ^ 0x85eb_ca6b, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i += 1) next();
  return next;
}

/** Fowler, Noll and Vo's hash, 32 bits, variant 1a. */
function fnv1a(text: string): number {
  let hash = 0x811c_9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x0100_0193);
  return hash >>> 0;
}

/**
 * A matrix of 4-bit codes: weight = scale * (code - 8). Scale of group g = 2^exponent * (1 + fractions[g] / 128), which bf16 and f16 both hold exactly, as they
 * hold the bias of -8 scales.
 */
export interface Codes {
  /** [rows, cols / 2]: two codes a byte, the first in the low half. */
  readonly packed: Uint8Array;
  /** [rows, cols / 64], from 0 to 127. */
  readonly fractions: Uint8Array;
  readonly exponent: number;
}

/** Weights of about 1 / sqrt(cols), so that activations keep their size from layer to layer. */
export function codesOf({ mlx, rows, cols }: MatrixTensor, seed: string): Codes {
  const next = randomWords(`${seed} ${mlx}`);
  const words = new Uint32Array((rows * cols) / 8);
  for (let i = 0; i < words.length; i += 1) words[i] = next();
  const fractions = new Uint8Array((rows * cols) / groupSize);
  for (let i = 0; i < fractions.length; i += 1) fractions[i] = next() >>> 25;
  const exponent = Math.floor(Math.log2(1 / (codeDeviation * Math.sqrt(cols))));
  return { packed: new Uint8Array(words.buffer), fractions, exponent };
}

/** Where the numbers of a float tensor lie; multiples of 1/256 of at most seven bits and a sign around a middle, which bf16 holds. */
const ranges: Record<FloatTensor['kind'], { readonly middle: number; readonly step: number }> = {
  norm: { middle: 1, step: 1 / 128 },
  conv: { middle: 0, step: 1 / 128 },
  dtBias: { middle: 0, step: 1 / 64 },
  aLog: { middle: 0, step: 1 / 64 },
};

/** A float tensor, row-major. Every number is exact in bf16. */
export function floatsOf({ mlx, kind, mlxShape }: FloatTensor, seed: string): Float32Array {
  const next = randomWords(`${seed} ${mlx}`);
  const { middle, step } = ranges[kind];
  const spread = kind === 'norm' ? 16 : 64;
  const size = mlxShape.reduce((product, n) => product * n, 1);
  return Float32Array.from({ length: size }, () => middle + step * ((next() % (2 * spread)) - spread));
}

const word = new DataView(new ArrayBuffer(4));

/** The upper half of an fp32 number; throws if the lower one is not empty. */
export function bf16Bits(value: number): number {
  word.setFloat32(0, value);
  if (word.getUint16(2) !== 0 || word.getFloat32(0) !== value) throw new RangeError(`${value} is not exact in bf16`);
  return word.getUint16(0);
}

/** bf16 bits of the scale and the bias of each group. */
export function bf16ScalesOf({ fractions, exponent }: Codes): { readonly scales: Uint16Array; readonly biases: Uint16Array } {
  const scales = Uint16Array.from(fractions, (fraction) => ((exponent + 127) << 7) | fraction);
  return { scales, biases: scales.map((bits) => 0x8000 | (bits + (3 << 7))) };
}

/** f16 bits of the scale of a group, and of the least weight, -8 scales. Throws for an exponent beyond f16's normal numbers. */
export function f16ScaleOf(exponent: number, fraction: number): { readonly scale: number; readonly least: number } {
  if (exponent < -14 || exponent + 3 > 15) throw new RangeError(`a scale of 2^${exponent} is not exact in f16`);
  const scale = ((exponent + 15) << 10) | (fraction << 3);
  return { scale, least: 0x8000 | (scale + (3 << 10)) };
}
