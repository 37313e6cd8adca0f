// Median and range of what was measured.

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** NaN for nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? NaN;
  return ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** Null for nothing. */
export function spread(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}
