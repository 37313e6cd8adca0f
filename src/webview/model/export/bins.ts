// What of a picture is drawn as rectangles: each cell, or the gravest of several, in runs of one colour.
import { binsOf, type Bin, type Plot } from '../plot';
import { level } from '../measures';

/** More rectangles make a file that editors of drawings refuse. */
export const binsLimit = 20_000;

export interface Bins {
  readonly rows: readonly Bin[];
  readonly columns: readonly Bin[];
  /** Whether cells share a rectangle. */
  readonly aggregated: boolean;
}

/** `count` bins over a length, their edges in whole pixels. */
const spread = (bins: readonly Bin[], length: number): Bin[] => bins.map((bin, i) => ({ ...bin, from: Math.round((i * length) / bins.length), to: Math.round(((i + 1) * length) / bins.length) }));

/** One bin a cell where there are no more than the limit and none is smaller than a pixel. */
export function binsFor({ sight, width, height }: Plot): Bins {
  const rows = Math.min(sight.rows.size, height, binsLimit);
  const columns = Math.min(sight.positions.size, width, Math.max(1, Math.floor(binsLimit / rows)));
  return { rows: spread(binsOf(sight.rows, rows), height), columns: spread(binsOf(sight.positions, columns), width), aggregated: rows < sight.rows.size || columns < sight.positions.size };
}

/** Neighbours of one level in one row, as one rectangle in pixels. */
export interface Stretch {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly level: number;
}

/** `levels`: a level a cell, row-major, `positions` a row. */
export function* stretches({ rows, columns }: Bins, levels: Uint8Array, positions: number): Iterable<Stretch> {
  const gravest = (row: Bin, { first, last }: Bin): number => {
    let most: number = level.notCompared;
    for (let at = row.first; at < row.last; at++) for (let cell = at * positions + first; cell < at * positions + last; cell++) most = Math.max(most, levels[cell] ?? 0);
    return most;
  };
  for (const row of rows) {
    const place = { y: row.from, height: row.to - row.from };
    let [from, to, current] = [0, 0, -1];
    for (const column of columns) {
      const next = gravest(row, column);
      if (next !== current && current >= 0) yield { ...place, x: from, width: to - from, level: current };
      if (next !== current) from = column.from;
      [to, current] = [column.to, next];
    }
    if (current >= 0) yield { ...place, x: from, width: to - from, level: current };
  }
}
