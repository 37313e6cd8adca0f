// What the heat map can show of a cell, as one number: -1 not compared, 0 equal, more than 0 differs. A larger number is always the graver one, so that cells smaller than a
// pixel can be merged by maximum without losing any.
import { scaleLog } from 'd3-scale';
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import type { Selection } from '../../shared/viewProtocol';
import { percent } from './numbers';

export type Measure = Selection['measure'];
export const measures: readonly Measure[] = ['bytes', 'maxUlp', 'relL2', 'argmax'];

export const notCompared = -1;
/** Codes of the argmax measure. */
export const sameChoice = 1;
export const otherChoice = 2;

interface Words {
  readonly name: string;
  readonly describes: string;
  readonly tick: (value: number) => string;
}

export const measureWords: Readonly<Record<Measure, Words>> = {
  bytes: { name: 'Bytes', describes: 'Share of differing bytes', tick: percent },
  maxUlp: { name: 'Max ULP', describes: 'Largest distance in representable values (ULP)', tick: (n) => (n < 1e6 ? formatCount(n) : formatFloat(n)) },
  relL2: { name: 'Rel. L2', describes: 'Largest relative L2 error of a tap', tick: formatFloat },
  argmax: { name: 'Argmax', describes: 'Whether the greedy choice at the position agrees', tick: formatCount },
};

/** A cell whose bytes differ never reads as equal: -0 against +0 has a distance of 0, and NaN none at all. */
const atLeastTiny = (value: number): number => (Number.isNaN(value) ? Infinity : Math.max(value, Number.MIN_VALUE));

export function argmaxDiffers(run: BisectRun, position: number): boolean {
  return run.logits.argmaxA[position] !== run.logits.argmaxB[position];
}

function valueOf(run: BisectRun, measure: Measure, cell: number, rowBytes: number): number {
  const { cells } = run;
  const differing = cells.differingBytes[cell];
  if (differing === undefined || rowBytes === 0) return notCompared;
  if (differing === 0) return 0;
  switch (measure) {
    case 'bytes':
      return differing / rowBytes;
    case 'maxUlp':
      return atLeastTiny(cells.maxUlp[cell] ?? 0);
    case 'relL2':
      return atLeastTiny(Number(cells.relL2[cell] ?? 0));
    case 'argmax':
      return argmaxDiffers(run, cell % cells.positions) ? otherChoice : sameChoice;
  }
}

/** One number per cell, row-major. */
export function cellValues(run: BisectRun, measure: Measure): Float64Array {
  const { positions, rowBytes } = run.cells;
  return Float64Array.from({ length: run.rows.length * positions }, (_, cell) => valueOf(run, measure, cell, rowBytes[Math.floor(cell / positions)] ?? 0));
}

export interface LogScale {
  /** Whole decades around what the run shows. */
  readonly low: number;
  readonly high: number;
  /** 0 .. 1 for a value above 0; values outside of the decades are drawn as the nearest end. */
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Scale over the values that differ. Shares end at 1, since 100 % is a bound; the others end at the decade above the largest. */
export function logScale(values: Float64Array, measure: Measure): LogScale {
  let low = Infinity;
  let high = 0;
  for (const value of values) {
    if (value <= Number.MIN_VALUE || value === Infinity) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === 0) [low, high] = [0.1, 1];
  const last = measure === 'bytes' ? 0 : Math.ceil(Math.log10(high));
  const first = Math.max(-307, Math.min(Math.floor(Math.log10(low)), last - 1));
  return decades(first, last);
}

/** Exact, which 10 ** n is not; no smaller than a normal double. */
const power = (n: number): number => Number(`1e${Math.max(n, -307)}`);

function decades(first: number, last: number): LogScale {
  const low = power(first);
  const high = power(last);
  const scale = scaleLog([low, high], [0, 1]).clamp(true);
  return { low, high, at: (value) => scale(value), ticks: ticksBetween(first, last) };
}

/** Powers of ten, at most seven of them, and 2 and 5 between them where there are few. */
function ticksBetween(first: number, last: number): readonly number[] {
  const every = Math.ceil((last - first) / 6);
  const powers = Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => power(last - i * every)).reverse();
  if (last - first > 2) return powers;
  return powers.flatMap((tick, i) => (i === powers.length - 1 ? [tick] : [tick, 2 * tick, 5 * tick]));
}
