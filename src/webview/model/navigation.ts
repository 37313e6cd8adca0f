// Moves over the heat map by key.
import { bisectLeft, bisectRight } from 'd3-array';
import { differingCells, type Cell, type Grid } from './grid';

export interface Key {
  readonly key: string;
  readonly ctrl: boolean;
}

const page = 10;

/** The cell a key leads to, null for a key that is none of the map's. Arrows stop at the edges; n and p go round. */
export function moved(grid: Grid, from: Cell, { key, ctrl }: Key): Cell | null {
  const last = { row: grid.rows.length - 1, position: grid.positions - 1 };
  const to = (row: number, position: number): Cell => ({ row: Math.max(0, Math.min(last.row, row)), position: Math.max(0, Math.min(last.position, position)) });
  switch (key) {
    case 'ArrowUp':
      return to(from.row - 1, from.position);
    case 'ArrowDown':
      return to(from.row + 1, from.position);
    case 'ArrowLeft':
      return to(from.row, from.position - 1);
    case 'ArrowRight':
      return to(from.row, from.position + 1);
    case 'Home':
      return to(ctrl ? 0 : from.row, 0);
    case 'End':
      return to(ctrl ? last.row : from.row, last.position);
    case 'PageUp':
      return to(from.row - page, from.position);
    case 'PageDown':
      return to(from.row + page, from.position);
    case 'n':
      return differing(grid, from, 1);
    case 'p':
      return differing(grid, from, -1);
    case 'f':
      return grid.first;
    default:
      return null;
  }
}

/** Next (1) or previous (-1) differing cell in data order; the same cell when no other differs. */
export function differing(grid: Grid, from: Cell, step: 1 | -1): Cell {
  const { positions } = grid;
  const cells = differingCells(grid);
  if (cells.length === 0) return from;
  const here = from.row * positions + from.position;
  const at = step > 0 ? bisectRight(cells, here) : bisectLeft(cells, here) - 1;
  const cell = cells[(at + cells.length) % cells.length] ?? here;
  return { row: Math.floor(cell / positions), position: cell % positions };
}
