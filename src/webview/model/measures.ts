// What a cell of a heat map is as one number: -1 not compared, 0 equal, more than 0 differs. A larger number is always the graver one, so that cells smaller than a
// pixel can be merged by maximum without losing any.
import { scaleLog } from 'd3-scale';
import type { Measure } from './grid';

export const notCompared = -1;
/** Codes of a measure of two colours. */
export const sameChoice = 1;
export const otherChoice = 2;

/** A cell whose bytes differ never reads as equal: -0 against +0 has a distance of 0, and NaN none at all. */
export const atLeastTiny = (value: number): number => (Number.isNaN(value) ? Infinity : Math.max(value, Number.MIN_VALUE));

export interface LogScale {
  /** Whole decades around what the run shows. */
  readonly low: number;
  readonly high: number;
  /** 0 .. 1 for a value above 0; values outside of the decades are drawn as the nearest end. */
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Scale over the values that differ. Shares end at 1, since 100 % is a bound; the others end at the decade above the largest. */
export function logScale(values: Float64Array, { scale }: Pick<Measure, 'scale'>): LogScale {
  let low = Infinity;
  let high = 0;
  for (const value of values) {
    if (value <= Number.MIN_VALUE || value === Infinity) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === 0) [low, high] = [0.1, 1];
  const last = scale === 'share' ? 0 : Math.ceil(Math.log10(high));
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

/** Codes of colours: not compared, equal, and from `differs` on the steps of a ramp. */
export const level = { notCompared: 0, equal: 1, differs: 2 } as const;

/** A colour's code a cell; as with the values, a larger one is the graver. */
export function levelsOf(values: Float64Array, measure: Pick<Measure, 'scale'>, scale: LogScale, steps: number): Uint8Array {
  const step = measure.scale === 'choice' || measure.scale === 'delta' ? (value: number): number => value - sameChoice : (value: number): number => Math.round(scale.at(value) * (steps - 1));
  return Uint8Array.from(values, (value) => (value === notCompared ? level.notCompared : value === 0 ? level.equal : level.differs + step(value)));
}
