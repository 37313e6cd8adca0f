// Where a text leads on a map: a row by its label, a position by its number, or the next cell that holds what is named.
import * as l10n from '@vscode/l10n';
import { bisectLeft, bisectRight } from 'd3-array';
import type { Cell, Grid } from './grid';

/** What may stand before the number of a position: English words, and those of the page. */
const positionWords = new Set(['pos', 'position', 'token', ...[l10n.t('position'), l10n.t('token')].map((word) => word.toLowerCase())]);

/** A comma, or room before the last word with a number. */
const betweenParts = /,|(?<=[^\s,])\s+(?=\p{L}+\s*\d+$)/u;

/**
 * "layer 7, pos 1024", "layer 7 pos 1024", "head", "1024", "q_rope". Null: there is no such place. Names are looked for from the cell on, which may hold them itself unless
 * they are asked for `again`, and then from the start.
 */
export function found(grid: Grid, from: Cell, text: string, again = false): Cell | null {
  const asked = text.trim().toLowerCase();
  if (asked === '') return null;
  const parts = asked.split(betweenParts).map((part) => part.trim().replace(/\s+/g, ' '));
  const places = parts.map((part) => ({ row: rowOf(grid, part), position: positionOf(grid, part) }));
  if (places.every(({ row, position }) => row !== null || position !== null)) {
    const row = places.find((one) => one.row !== null)?.row ?? from.row;
    return { row, position: places.find((one) => one.position !== null)?.position ?? from.position };
  }
  return next(grid, from, text.trim(), again);
}

/** Where places end, in words: what an unknown one is measured against. */
export function rangeInWords({ rows, positions, from = 0 }: Grid): string {
  const ends = [rows[0]?.label ?? '', rows.at(-1)?.label ?? '', from, from + positions - 1];
  return l10n.t('Rows are {0} to {1}, positions {2} to {3}', ...ends);
}

function rowOf({ rows }: Grid, text: string): number | null {
  const row = rows.findIndex(({ label }) => label.toLowerCase() === text);
  return row < 0 ? null : row;
}

function positionOf({ positions, from = 0 }: Grid, text: string): number | null {
  const [, word = '', digits = ''] = /^(.*?)\s*(\d+)$/.exec(text) ?? [];
  const position = digits !== '' && (word === '' || positionWords.has(word)) ? Number(digits) - from : -1;
  return position >= 0 && position < positions ? position : null;
}

function next(grid: Grid, from: Cell, text: string, again: boolean): Cell | null {
  const cells = grid.holding(text);
  const here = from.row * grid.positions + from.position;
  const at = again ? bisectRight(cells, here) : bisectLeft(cells, here);
  const cell = cells[at] ?? cells[0];
  return cell === undefined ? null : { row: Math.floor(cell / grid.positions), position: cell % grid.positions };
}
