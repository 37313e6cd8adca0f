// Geometry of the heat map: which pixels a cell has, which cells a pixel has. Lengths in CSS pixels unless a name says device.
import type { Cell } from './grid';
import { clamp } from './numbers';
import { wholeSight, type Sight, type Span } from './span';

export interface Plot {
  readonly sight: Sight;
  readonly cellWidth: number;
  readonly cellHeight: number;
  readonly width: number;
  readonly height: number;
}

/** `width`: space for the cells, without axes. */
export interface Space {
  readonly width: number;
  readonly maxHeight: number;
  /** Of a cell while all of the map is in sight. */
  readonly largest?: { readonly width: number; readonly height: number };
}

const largestCell = { width: 64, height: 20 };

/** The size is that of the whole map; what is in sight fills it. */
export function plotOf(rows: number, positions: number, space: Space, sight = wholeSight(rows, positions)): Plot {
  const { largest = largestCell } = space;
  const width = Math.round(Math.min(largest.width * positions, space.width));
  const height = Math.round(Math.min(largest.height * rows, space.maxHeight));
  return { sight, cellWidth: width / Math.max(1, sight.positions.size), cellHeight: height / Math.max(1, sight.rows.size), width, height };
}

/** A run of pixels [from, to) that shows the cells [first, last). */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly last: number;
}

/** The cells of a span in device pixels: one bin a cell, or one a pixel where cells are smaller than that. Bins cover `length` without gaps. */
export function binsOf(span: Span, length: number): readonly Bin[] {
  const { from: start, size } = span;
  const count = Math.min(size, length);
  const edge = (i: number): number => Math.round((i * length) / count);
  const bin = (i: number): Bin => {
    if (count === size) return { from: edge(i), to: edge(i + 1), first: start + i, last: start + i + 1 };
    const first = Math.floor((i * size) / count);
    return { from: i, to: i + 1, first: start + first, last: start + Math.max(first + 1, Math.ceil(((i + 1) * size) / count)) };
  };
  return Array.from({ length: count }, (_, i) => bin(i));
}

type Range = Pick<Bin, 'first' | 'last'>;

/** The gravest of the cells in a block of rows x positions, the first of them among equals. */
export function gravestCell(values: ArrayLike<number>, positions: number, rows: Range, columns: Range): { readonly cell: Cell; readonly value: number } {
  let cell = { row: rows.first, position: columns.first };
  let value = -Infinity;
  for (let row = rows.first; row < rows.last; row++) {
    for (let position = columns.first; position < columns.last; position++) {
      const here = values[row * positions + position] ?? -1;
      if (here > value) [cell, value] = [{ row, position }, here];
    }
  }
  return { cell, value };
}

/** The cells under the pixel from `at` on: one, or all that share it. */
function under(at: number, cellSize: number, { from, size }: Span): Range {
  const first = clamp(Math.floor(at / cellSize), 0, size - 1);
  const last = cellSize < 1 ? clamp(Math.floor((at + 1) / cellSize), first + 1, size) : first + 1;
  return { first: from + first, last: from + last };
}

/** The cell under a point, the gravest one where several share the pixel; null outside of the plot. `positions`: of the whole map. */
export function cellAt(plot: Plot, values: ArrayLike<number>, positions: number, x: number, y: number): Cell | null {
  if (x < 0 || y < 0 || x >= plot.width || y >= plot.height) return null;
  const rows = under(y, plot.cellHeight, plot.sight.rows);
  return gravestCell(values, positions, rows, under(x, plot.cellWidth, plot.sight.positions)).cell;
}

/** The cells between two points, without regard to the order of the points. */
export function sightBetween(plot: Plot, a: { readonly x: number; readonly y: number }, b: { readonly x: number; readonly y: number }): Sight {
  const span = (one: number, other: number, cellSize: number, { from, size }: Span): Span => {
    const first = clamp(Math.floor(Math.min(one, other) / cellSize), 0, size - 1);
    const last = clamp(Math.floor(Math.max(one, other) / cellSize), first, size - 1);
    return { from: from + first, size: last - first + 1 };
  };
  return { rows: span(a.y, b.y, plot.cellHeight, plot.sight.rows), positions: span(a.x, b.x, plot.cellWidth, plot.sight.positions) };
}

/** Every n-th place gets a tick, n from 1, 2, 5, 10, 20, ..., so that ticks stand at least `room` apart. Infinity: places without a size have room for none but the first. */
export function tickEvery(size: number, room: number): number {
  if (!(size > 0) || !Number.isFinite(room)) return Infinity;
  for (let power = 1; ; power *= 10) {
    for (const step of [1, 2, 5]) if (step * power * size >= room) return step * power;
  }
}

/** The multiples of `every` in a span. */
export function ticksOf({ from, size }: Span, every: number): readonly number[] {
  if (!Number.isFinite(every)) return [];
  const first = Math.ceil(from / every);
  return Array.from({ length: Math.max(0, Math.ceil((from + size) / every) - first) }, (_, i) => (first + i) * every);
}
