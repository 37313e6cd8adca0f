// Geometry of the heat map: which pixels a cell has, which cells a pixel has. Lengths in CSS pixels unless a name says device.
export interface Plot {
  readonly rows: number;
  readonly positions: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
  readonly width: number;
  readonly height: number;
}

/** `width`: space for the cells, without axes. */
export interface Space {
  readonly width: number;
  readonly maxHeight: number;
}

const largest = { width: 64, height: 20 };

export function plotOf(rows: number, positions: number, space: Space): Plot {
  const cellWidth = Math.min(largest.width, space.width / Math.max(1, positions));
  const cellHeight = Math.min(largest.height, space.maxHeight / Math.max(1, rows));
  return { rows, positions, cellWidth, cellHeight, width: Math.round(cellWidth * positions), height: Math.round(cellHeight * rows) };
}

/** A run of pixels [from, to) that shows the cells [first, last). */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly last: number;
}

/** Cells along one axis in device pixels: one bin a cell, or one a pixel where cells are smaller than that. Bins cover `length` without gaps. */
export function binsOf(cells: number, length: number): readonly Bin[] {
  const count = Math.min(cells, length);
  const edge = (i: number, of: number): number => Math.round((i * of) / count);
  return Array.from({ length: count }, (_, i) =>
    count === cells
      ? { from: edge(i, length), to: edge(i + 1, length), first: i, last: i + 1 }
      : { from: i, to: i + 1, first: Math.floor((i * cells) / count), last: Math.max(Math.floor((i * cells) / count) + 1, Math.ceil(((i + 1) * cells) / count)) },
  );
}

export interface Cell {
  readonly row: number;
  readonly position: number;
}

/** The gravest of the cells in a block of rows x positions, the first of them among equals. */
export function gravestCell(values: Float64Array, positions: number, rows: Bin, columns: Bin): { readonly cell: Cell; readonly value: number } {
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

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** The cell under a point, the gravest one where several share the pixel; null outside of the plot. */
export function cellAt(plot: Plot, values: Float64Array, x: number, y: number): Cell | null {
  if (x < 0 || y < 0 || x >= plot.width || y >= plot.height) return null;
  const span = (at: number, size: number, cells: number): Bin => {
    const first = clamp(Math.floor(at / size), 0, cells - 1);
    return { from: 0, to: 0, first, last: clamp(Math.floor((at + 1) / size), first + 1, cells) };
  };
  const columns = span(x, plot.cellWidth, plot.positions);
  const rows = span(y, plot.cellHeight, plot.rows);
  const small = { columns: plot.cellWidth < 1 ? columns : { ...columns, last: columns.first + 1 }, rows: plot.cellHeight < 1 ? rows : { ...rows, last: rows.first + 1 } };
  return gravestCell(values, plot.positions, small.rows, small.columns).cell;
}

/** Every n-th of `count` places gets a tick, n from 1, 2, 5, 10, 20, ..., so that ticks stand at least `room` apart. */
export function tickEvery(size: number, room: number): number {
  for (let power = 1; ; power *= 10) {
    for (const step of [1, 2, 5]) if (step * power * size >= room) return step * power;
  }
}

/** 0, every, 2 * every, ... below count. */
export const ticksOf = (count: number, every: number): readonly number[] => Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
