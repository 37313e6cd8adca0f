// Axes of the heat map as SVG: positions above, row labels and layer kinds at the left, boundaries across.
import { axisTop } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import type { Boundary, Grid, GridRow, Round } from '../../model/grid';
import { cut, room } from '../../model/cut';
import { clamp } from '../../model/numbers';
import { binsOf, tickEvery, ticksOf, type Plot } from '../../model/plot';
import { kindWords } from '../../model/words';
import { svg, whenChanged } from '../dom';
import { margin } from './marks';
import { gapFrom } from './paint';

export interface Gutter {
  readonly left: number;
  readonly top: number;
}

const strip = { width: 4, letter: 13 };
const letterWidth = 6.9;
const rowRoom = 12;
/** Boundaries closer than this say nothing. */
const boundaryRoom = 6;
/** And rounds narrower than this on average. */
const roundRoom = 5;

const clip = (label: string, width: number): string => cut(label, Math.max(2, Math.floor(width / letterWidth)));

export function gutterOf(rows: readonly GridRow[], width: number): Gutter {
  const longest = rows.reduce((most, { label }) => Math.max(most, label.length), 0);
  const labels = Math.min(longest * letterWidth, width * 0.3, 150);
  return { left: Math.ceil(labels) + strip.letter + strip.width + margin + 8, top: 22 + margin };
}

interface AxesInput {
  readonly grid: Grid;
  readonly plot: Plot;
  readonly gutter: Gutter;
}

export interface Axes {
  readonly node: SVGSVGElement;
  /** Lies over the cells. */
  readonly boundaries: SVGSVGElement;
  readonly update: (grid: Grid, plot: Plot, gutter: Gutter) => void;
}

/** Rows are labelled again only when they have moved, which they do not while one zooms along the positions. */
export function mapAxes(): Axes {
  const hidden = { 'aria-hidden': 'true' };
  const [positions, rows] = [svg('g'), svg('g')];
  const node = svg('svg', { class: 'map-axes', attributes: hidden }, positions, rows);
  const boundaries = svg('svg', { class: 'map-boundaries', attributes: hidden });
  const size = whenChanged<AxesInput>(
    ({ plot, gutter }) => [plot.width, plot.height, gutter.left],
    ({ plot, gutter }) => {
      for (const one of [node, boundaries]) {
        one.setAttribute('width', String(gutter.left + plot.width + margin));
        one.setAttribute('height', String(gutter.top + plot.height + margin));
      }
    },
  );
  const label = whenChanged<AxesInput>(
    ({ grid, plot, gutter }) => [grid, plot.sight.rows.from, plot.sight.rows.size, plot.height, gutter.left],
    ({ grid, plot, gutter }) => rows.replaceChildren(rowLabels(grid.rows, plot, gutter)),
  );
  return {
    node,
    boundaries,
    update(grid, plot, gutter) {
      const input = { grid, plot, gutter };
      size(input);
      label(input);
      positions.replaceChildren(positionAxis(grid, plot, gutter));
      boundaries.replaceChildren(boundaryLines(grid.boundaries, plot, gutter), roundBrackets(grid.tokens?.rounds ?? [], plot, gutter));
    },
  };
}

function positionAxis(grid: Grid, plot: Plot, gutter: Gutter): SVGGElement {
  const group = svg('g', { class: 'axis', attributes: { transform: `translate(${gutter.left},${gutter.top - margin})` } });
  const { from, size } = plot.sight.positions;
  const { from: called = 0 } = grid;
  const room = 9 + 7 * String(called + grid.positions).length;
  const ticks = ticksOf({ from: called + from, size }, tickEvery(plot.cellWidth, room)).map((position) => position - called + 0.5);
  const axis = axisTop(scaleLinear([from, from + size], [0, plot.width]))
    .tickValues(ticks)
    .tickFormat((position) => String(Number(position) - 0.5 + called))
    .tickSize(4)
    .tickSizeOuter(0);
  select(group).call(axis);
  keepInside(group, plot, (centre) => (centre - from) * plot.cellWidth);
  return group;
}

/** The label of a tick near the right edge ends there, else half of it would lie out of the picture. */
function keepInside(group: SVGGElement, plot: Plot, placeOf: (position: number) => number): void {
  const edge = plot.width + margin - 1;
  for (const text of group.querySelectorAll('text')) {
    const place = placeOf(Number(select(text).datum()));
    if (place + (text.textContent.length * letterWidth) / 2 <= edge) continue;
    text.setAttribute('text-anchor', 'end');
    text.setAttribute('x', String(edge - place));
  }
}

function rowLabels(rows: readonly GridRow[], plot: Plot, gutter: Gutter): SVGGElement {
  const { from } = plot.sight.rows;
  const group = svg('g', { class: 'row-labels', attributes: { transform: `translate(0,${gutter.top})` } });
  // Rows that share a pixel share a mark.
  for (const { first } of binsOf(plot.sight.rows, Math.max(1, Math.floor(plot.height)))) {
    const row = rows[first];
    if (row !== undefined) group.append(...rowMarks(row, (first - from) * plot.cellHeight, plot, gutter));
  }
  for (const place of labelPlaces(plot)) {
    const row = rows[place];
    if (row !== undefined) group.append(rowLabel(row, (place - from) * plot.cellHeight, plot, gutter));
  }
  return group;
}

/** Rows that have room for a label: every n-th, and the last. */
function labelPlaces({ sight, cellHeight }: Plot): readonly number[] {
  const { from, size } = sight.rows;
  const every = tickEvery(cellHeight, rowRoom);
  const last = from + size - 1;
  const hasRoom = (place: number): boolean => last - place >= every || (last - place) * cellHeight >= rowRoom;
  const count = Number.isFinite(every) ? Math.ceil(size / every) : 0;
  return [...Array.from({ length: count }, (_, i) => from + i * every).filter((place) => place !== last && hasRoom(place)), last];
}

const gapOf = ({ cellHeight }: Plot): number => (cellHeight >= gapFrom ? 1 : 0);

function rowMarks(row: GridRow, y: number, plot: Plot, gutter: Gutter): SVGElement[] {
  if (row.kind === null) return [];
  const x = gutter.left - margin - strip.width;
  const kind = kindWords[row.kind];
  const bar = svg('rect', { class: `kind kind-${row.kind}`, attributes: { x, y, width: strip.width, height: Math.max(0.5, plot.cellHeight - gapOf(plot)) } });
  bar.append(svg('title', {}, kind.name));
  if (plot.cellHeight < rowRoom - 1) return [bar];
  const middle = y + (plot.cellHeight - gapOf(plot)) / 2;
  return [bar, svg('text', { class: `letter kind-${row.kind}`, attributes: { x: x - strip.letter / 2 - 1, y: middle, 'text-anchor': 'middle', 'dominant-baseline': 'central' } }, kind.letter)];
}

function rowLabel(row: GridRow, y: number, plot: Plot, gutter: Gutter): SVGElement {
  const right = gutter.left - margin - strip.width - strip.letter - 5;
  const middle = y + (plot.cellHeight - gapOf(plot)) / 2;
  const text = svg('text', { attributes: { x: right, y: middle, 'text-anchor': 'end', 'dominant-baseline': 'central', translate: 'no' } }, clip(row.label, right));
  text.append(svg('title', {}, cut(row.label, room.name)));
  return text;
}

/** A line before the position where something changes, so that a step in the colours can be told from one in the run. */
function boundaryLines(boundaries: readonly Boundary[], plot: Plot, gutter: Gutter): SVGGElement {
  const { from, size } = plot.sight.positions;
  const group = svg('g', { class: 'boundaries', attributes: { transform: `translate(${gutter.left},${gutter.top})` } });
  const inSight = boundaries.filter(({ position }) => position > from && position < from + size);
  if (inSight.length * boundaryRoom > plot.width) return group;
  for (const { position, label } of inSight) {
    const x = Math.round((position - from) * plot.cellWidth) - 0.5;
    const line = svg('line', { attributes: { x1: x, x2: x, y1: -margin / 2, y2: plot.height + margin / 2 } });
    line.append(svg('title', {}, label));
    group.append(line);
  }
  return group;
}

/** Below the lanes: a bracket around what a round gave, with a notch where it went back over what was rejected. Rounds that are too small to tell apart are left out. */
function roundBrackets(rounds: readonly Round[], plot: Plot, gutter: Gutter): SVGGElement {
  const { from: first, size } = plot.sight.positions;
  const group = svg('g', { class: 'rounds', attributes: { transform: `translate(${gutter.left},${gutter.top + plot.height})` } });
  const inSight = rounds.filter(({ from, kept }) => from + kept > first && from < first + size);
  if (inSight.length * roundRoom > plot.width) return group;
  for (const { from, kept, rejected, label } of inSight) {
    const x = (position: number): number => clamp((position - first) * plot.cellWidth, 0, plot.width);
    const [left, right] = [x(from) + 1, x(from + kept) - 2];
    const bracket = svg('path', { class: 'round', attributes: { d: `M${left} 2v4H${right}V2` } });
    bracket.append(svg('title', {}, label));
    group.append(bracket, ...(rejected > 0 ? [svg('path', { class: 'rewind', attributes: { d: `M${right - 4} 6l4 4V6z` } })] : []));
  }
  return group;
}
