// The diff of a pair of which the library had nothing to tell: equal, and every element a number.
import type { DiffPair, TensorDiff } from '../types';

/** `rows`: with counts of every row, all zero. */
export function plainDiff({ a, aRows }: DiffPair, rows: boolean): TensorDiff {
  const all = a.shape[0] ?? 1;
  const count = aRows === undefined ? all : aRows[1] - aRows[0];
  const share = all === 0 ? 0 : count / all;
  const elements = a.shape.reduce((product, size) => product * size, 1);
  const plain: TensorDiff = {
    equal: true,
    bytes: Math.round(a.nbytes * share),
    differingBytes: 0,
    elements: Math.round(elements * share),
    differingElements: 0,
    first: null,
    maxUlp: 0,
    maxAbs: 0,
    rms: 0,
    relL2: 0,
    nonFinite: { a: 0, b: 0 },
    tile: null,
  };
  return rows ? { ...plain, rows: { differingElements: zeros(count), maxUlp: zeros(count) } } : plain;
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}
