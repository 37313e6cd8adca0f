// Shares and lists of places as they read on screen.
import { format } from 'd3-format';

const three = format('.3~r');
const scientific = format('.2~e');

/** A share as percent: 0.0012 is "0.12 %". Never rounds up to 100 %. */
export function percent(share: number): string {
  const hundred = share * 100;
  if (share > 0.9995 && share < 1) return '> 99.9 %';
  return `${hundred !== 0 && hundred < 1e-4 ? scientific(hundred) : three(hundred)} %`.replace('\u2212', '-');
}

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

export const share = (part: number, total: number): number => (total > 0 ? part / total : 0);

/** NaN for none. Halves are added, so that no sum is beyond what a number can be. */
export function middleOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = (at: number): number => (sorted[at] ?? NaN) / 2;
  const last = sorted.length - 1;
  return half(Math.floor(last / 2)) + half(Math.ceil(last / 2));
}

/** [0, 1, 2, 5] as "0-2, 5". */
export function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const n of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === n - 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}
