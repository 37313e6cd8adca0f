// One pass over a run's columns, so that a cell's taps and the next differing cell are found without searching them all.
import { cumsum } from 'd3-array';
import type { BisectRun, KernelPair } from '../../shared/report';

export interface RunIndex {
  readonly rows: number;
  readonly positions: number;
  /** Indices into `run.differing`, those of cell c at tapStart[c] .. tapStart[c + 1]. */
  readonly tapOrder: Int32Array;
  readonly tapStart: Int32Array;
  readonly kernels: ReadonlyMap<string, KernelPair>;
}

const built = new WeakMap<BisectRun, RunIndex>();

export function indexOf(run: BisectRun): RunIndex {
  let index = built.get(run);
  if (!index) built.set(run, (index = build(run)));
  return index;
}

const kernelKey = (layer: number, op: string): string => `${layer}\u0000${op}`;

function build(run: BisectRun): RunIndex {
  const rows = run.rows.length;
  const positions = run.cells.positions;
  return {
    rows,
    positions,
    ...orderByCell(run, rows * positions),
    kernels: new Map(run.kernels.map((pair) => [kernelKey(pair.layer, pair.op), pair])),
  };
}

/** Counting sort of the differing taps by cell; taps of one cell keep their data order. */
function orderByCell(run: BisectRun, cells: number): Pick<RunIndex, 'tapOrder' | 'tapStart'> {
  const { row, position } = run.differing;
  const cellOf = (i: number): number => (row[i] ?? 0) * run.cells.positions + (position[i] ?? 0);
  const counts = new Int32Array(cells + 1);
  for (let i = 0; i < row.length; i++) counts[cellOf(i)] = (counts[cellOf(i)] ?? 0) + 1;
  const tapStart = Int32Array.from([0, ...cumsum(counts.subarray(0, cells))]);
  const next = tapStart.slice();
  const tapOrder = new Int32Array(row.length);
  for (let i = 0; i < row.length; i++) {
    const place = next[cellOf(i)] ?? 0;
    tapOrder[place] = i;
    next[cellOf(i)] = place + 1;
  }
  return { tapOrder, tapStart };
}

/** Indices into `run.differing` of a cell's taps, in data order. */
export function tapsOfCell(index: RunIndex, row: number, position: number): readonly number[] {
  const cell = row * index.positions + position;
  return [...index.tapOrder.subarray(index.tapStart[cell] ?? 0, index.tapStart[cell + 1] ?? 0)];
}

export const kernelOf = (index: RunIndex, layer: number, op: string): KernelPair | undefined => index.kernels.get(kernelKey(layer, op));
