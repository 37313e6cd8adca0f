// A map or a timeline as a drawing of its own: title, verdict, axes, cells, marks and legend, without the page that it comes from.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../../shared/format';
import type { Cell } from '../grid';
import { clamp } from '../numbers';
import { tickEvery, ticksOf } from '../plot';
import { kindWords } from '../words';
import { stretches } from './bins';
import { legend } from './legend';
import { labelWidth, sceneOf, type Drawn, type Scene } from './scene';
import { fitting, headingOf, letterOn, onSheet, sheet, text, type Colours, type Drawing, type Heading } from './sheet';
import { signFrom, signMark } from './signs';
import { tag, xmlText } from './xml';

const roomOfRow = 12;

/** A point of a path: hundredths of a pixel. */
const point = (value: number): string => String(Math.round(value * 100) / 100);

function axis({ plot, left, top, grid, colours }: Scene): string {
  const { from, size: count } = plot.sight.positions;
  const ticks = ticksOf({ from, size: count }, tickEvery(plot.cellWidth, 9 + 7 * String(grid.positions).length));
  return ticks.map((position) => text(left + (position - from + 0.5) * plot.cellWidth, top - 8, String(position), colours.muted, { 'text-anchor': 'middle', 'font-size': 11 })).join('');
}

function rowLabels({ grid, plot, left, top, colours }: Scene): string {
  const { from, size: count } = plot.sight.rows;
  const every = tickEvery(plot.cellHeight, roomOfRow);
  const shown = grid.rows.slice(from, from + count).map((row, i) => ({ ...row, i, y: top + (i + 0.5) * plot.cellHeight + 4 }));
  const letters = plot.cellHeight >= roomOfRow - 1;
  return shown
    .filter(({ i }) => i % every === 0)
    .map(({ label, kind, y }) => text(left - (letters && kind !== null ? 22 : 8), y, fitting(label, labelWidth), colours.foreground, { 'text-anchor': 'end', 'font-size': 11 }) + (letters && kind !== null ? text(left - 12, y, kindWords[kind].letter, colours.muted, { 'text-anchor': 'middle', 'font-size': 10 }) : ''))
    .join('');
}

function cells({ bins, levels, grid, colours, left, top }: Scene): string {
  const drawn: string[] = [];
  for (const { x, y, width, height, level: code } of stretches(bins, levels, grid.positions)) drawn.push(tag('rect', { x: left + x, y: top + y, width, height, fill: colours.levels[code] ?? colours.background }));
  return tag('g', { 'shape-rendering': 'crispEdges' }, drawn.join(''));
}

/** Lines between cells, where they are large enough to be told apart. */
function gaps({ plot, left, top, colours }: Scene): string {
  const lines: string[] = [];
  if (plot.cellWidth >= 5) for (let i = 1; i < plot.sight.positions.size; i++) lines.push(`M${point(left + i * plot.cellWidth)} ${top}v${plot.height}`);
  if (plot.cellHeight >= 5) for (let i = 1; i < plot.sight.rows.size; i++) lines.push(`M${left} ${point(top + i * plot.cellHeight)}h${plot.width}`);
  return lines.length === 0 ? '' : tag('path', { d: lines.join(''), stroke: colours.background, 'stroke-width': 1, fill: 'none' });
}

/** Tokens or signs in cells that have room for them. */
function letters({ grid, measure: { name }, plot, levels, colours, left, top, bins }: Scene): string {
  const { sign, tokens } = grid;
  const words = sign === undefined ? tokens?.text : (cell: Cell): string => sign(cell, name);
  if (words === undefined || bins.aggregated || plot.cellWidth < 14 || plot.cellHeight < 14) return '';
  const { rows, positions } = plot.sight;
  const fitting = (width: number): number => Math.max(1, Math.floor((width - 4) / sheet.letter));
  const drawn: string[] = [];
  for (let row = rows.from; row < rows.from + rows.size; row++) {
    for (let position = positions.from; position < positions.from + positions.size; position++) {
      const own = words({ row, position });
      if (own === '') continue;
      const fill = letterOn(colours.levels[levels[row * grid.positions + position] ?? 0] ?? colours.background);
      const [x, y] = [left + (position - positions.from) * plot.cellWidth, top + (row - rows.from + 0.5) * plot.cellHeight + 4];
      const taken = sign === undefined ? (tokens?.room?.({ row, position }) ?? null) : null;
      if (taken === null) drawn.push(text(x + 3, y, Array.from(own).slice(0, fitting(plot.cellWidth)).join(''), fill));
      // A number is written whole, to the right end of what it may take.
      else if (own.length <= fitting(taken * plot.cellWidth)) drawn.push(text(x + plot.cellWidth - 2 - own.length * sheet.letter, y, own, fill));
    }
  }
  return tag('g', { 'font-family': 'monospace', 'font-size': 11 }, drawn.join(''));
}

function signs({ grid: { tokens, positions: all }, plot, levels, colours, left, top, bins }: Scene): string {
  const sign = tokens?.sign;
  if (sign === undefined || bins.aggregated || plot.cellWidth < signFrom || plot.cellHeight < roomOfRow) return '';
  const { rows, positions } = plot.sight;
  const drawn: string[] = [];
  for (let row = rows.from; row < rows.from + rows.size; row++) {
    for (let position = positions.from; position < positions.from + positions.size; position++) {
      const own = sign({ row, position });
      if (own === null) continue;
      const box = { x: left + (position - positions.from) * plot.cellWidth, y: top + (row - rows.from) * plot.cellHeight, width: plot.cellWidth - 1, height: plot.cellHeight - 1 };
      drawn.push(signMark(own, box, letterOn(colours.levels[levels[row * all + position] ?? 0] ?? colours.background)));
    }
  }
  return drawn.join('');
}

function boundaries({ grid, plot, left, top, colours }: Scene): string {
  const { from, size: count } = plot.sight.positions;
  const inSight = grid.boundaries.filter(({ position }) => position > from && position < from + count);
  return inSight.map(({ position, label }) => tag('path', { d: `M${point(left + (position - from) * plot.cellWidth)} ${top - 4}v${plot.height + 8}`, stroke: colours.foreground, 'stroke-dasharray': '2 3' }, tag('title', {}, xmlText(label)))).join('');
}

function rounds({ grid, plot, left, top, colours }: Scene): string {
  const { from: first, size: count } = plot.sight.positions;
  const inSight = (grid.tokens?.rounds ?? []).filter(({ from, kept }) => from + kept > first && from < first + count);
  if (inSight.length * 5 > plot.width) return '';
  const x = (position: number): number => left + clamp((position - first) * plot.cellWidth, 0, plot.width);
  return inSight
    .map(({ from, kept, rejected, label }) => {
      const [start, end] = [x(from) + 1, x(from + kept) - 2];
      const notch = rejected > 0 ? tag('path', { d: `M${point(end - 4)} ${top + plot.height + 6}l4 4v-4z`, fill: colours.foreground }) : '';
      return tag('path', { d: `M${point(start)} ${top + plot.height + 2}v4H${point(end)}v-4`, fill: 'none', stroke: colours.foreground }, tag('title', {}, xmlText(label))) + notch;
    })
    .join('');
}

/** Where the arms part: a ring, and wedges at its column and row. */
function pin({ grid: { first }, plot, left, top, colours }: Scene): string {
  if (first === null) return '';
  const { rows, positions } = plot.sight;
  const [x, y] = [left + clamp((first.position - positions.from + 0.5) * plot.cellWidth, 0, plot.width), top + clamp((first.row - rows.from + 0.5) * plot.cellHeight, 0, plot.height)];
  const inside = first.row >= rows.from && first.row < rows.from + rows.size && first.position >= positions.from && first.position < positions.from + positions.size;
  const [width, height] = [Math.max(7, plot.cellWidth), Math.max(7, plot.cellHeight)];
  const ring = inside ? tag('rect', { x: x - width / 2, y: y - height / 2, width, height, fill: 'none', stroke: colours.foreground, 'stroke-width': 1.5 }) : '';
  return ring + tag('path', { d: `M${point(x)} ${top - 1}l-4 -6h8z`, fill: colours.foreground });
}

/** What the file is, for who cannot see it, and what it leaves out. */
function description({ bins, plot, grid }: Scene, { run }: Heading): string {
  const { rows, positions } = plot.sight;
  const places = [rows.from, rows.from + rows.size - 1, grid.rows.length, positions.from, positions.from + positions.size - 1, grid.positions].map(formatCount);
  const shown = l10n.t('{0}: rows {1} to {2} of {3}, positions {4} to {5} of {6}.', run, ...places);
  if (!bins.aggregated) return `${shown} ${l10n.t('Every cell is drawn.')}`;
  const counts = [rows.size * positions.size, bins.rows.length, bins.columns.length].map(formatCount);
  return `${shown} ${l10n.t('Its {0} cells are aggregated by maximum to {1} x {2} rectangles: each has the colour of its gravest cell, so no difference is left out, but not every coloured place is one cell.', ...counts)}`;
}

export function pictureSvg(drawn: Drawn, heading: Heading, colours: Colours): Drawing {
  // The verdict is wrapped to a width that depends on the map, and the map begins below the verdict.
  const { width } = sceneOf(drawn, colours, 0);
  const head = headingOf(heading, colours, width);
  const scene = sceneOf(drawn, colours, head.bottom + 16);
  const bottom = scene.top + scene.plot.height + (drawn.grid.tokens === undefined ? 24 : 34);
  const parts = [axis, rowLabels, cells, gaps, letters, signs, boundaries, rounds, pin].map((part) => part(scene)).join('');
  const { body, height } = legend(scene, bottom);
  return onSheet(head.body + parts + body, { width, height: bottom + height }, colours, { title: heading.title, description: description(scene, heading) });
}
