// The part of a map in sight, in whole cells: half a cell at an edge would be a difference that is neither shown nor left out.
import type { Cell } from './grid';
import { clamp } from './numbers';

/** Cells [from, from + size) of an axis. */
export interface Span {
  readonly from: number;
  readonly size: number;
}

export interface Sight {
  readonly rows: Span;
  readonly positions: Span;
}

/** Fewest cells in sight. */
const least = 4;

export const wholeSight = (rows: number, positions: number): Sight => ({ rows: { from: 0, size: rows }, positions: { from: 0, size: positions } });

/** `span` of an axis of `count` cells, moved and cut until it lies in it. */
export function fitted({ from, size }: Span, count: number): Span {
  const fits = clamp(Math.round(size), Math.min(least, count), count);
  return { from: clamp(Math.round(from), 0, count - fits), size: fits };
}

/** `factor` < 1 shows fewer cells. What lies at the share `at` of the span stays there. */
export function zoomed(span: Span, factor: number, at: number, count: number): Span {
  const wanted = span.size * factor;
  // A step that rounds to none is still a step.
  const size = clamp(factor < 1 ? Math.min(Math.floor(wanted), span.size - 1) : Math.max(Math.ceil(wanted), span.size + 1), Math.min(least, count), count);
  return fitted({ from: span.from + at * (span.size - size), size }, count);
}

export const moved = ({ from, size }: Span, by: number, count: number): Span => fitted({ from: from + by, size }, count);

/** The nearest span of the same size with the cell in it. */
export function following(span: Span, cell: number): Span {
  const { from, size } = span;
  return cell >= from && cell < from + size ? span : { from: cell < from ? cell : cell - size + 1, size };
}

export function followingCell(sight: Sight, { row, position }: Cell): Sight {
  const rows = following(sight.rows, row);
  const positions = following(sight.positions, position);
  return rows === sight.rows && positions === sight.positions ? sight : { rows, positions };
}

/** Null: all of the map. */
export const sameSight = (a: Sight | null, b: Sight | null): boolean =>
  a === b || (a !== null && b !== null && a.rows.from === b.rows.from && a.rows.size === b.rows.size && a.positions.from === b.positions.from && a.positions.size === b.positions.size);

/** A sight that was kept, if it still lies in the map and shows less than all of it. */
export function keptSight(sight: Sight | null, rows: number, positions: number): Sight | null {
  if (sight === null) return null;
  const now = { rows: fitted(sight.rows, rows), positions: fitted(sight.positions, positions) };
  return sameSight(now, wholeSight(rows, positions)) ? null : now;
}
