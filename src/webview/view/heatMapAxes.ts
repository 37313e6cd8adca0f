// Axes of the heat map as SVG: positions above, row labels and layer kinds at the left.
import { axisTop } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import type { BisectRun, MapRow } from '../../shared/report';
import { tickEvery, ticksOf, type Plot } from '../model/plot';
import { kindWords } from '../model/words';
import { svg } from './dom';

export interface Gutter {
  readonly left: number;
  readonly top: number;
}

/** Room around the plot that the pin of the first divergence needs. */
export const margin = 12;
const strip = { width: 4, letter: 13 };
const letterWidth = 6.9;
const rowRoom = 12;

const clip = (label: string, width: number): string => {
  const fits = Math.floor(width / letterWidth);
  return label.length <= fits ? label : `${label.slice(0, Math.max(1, fits - 1))}…`;
};

export function gutterOf(rows: readonly MapRow[], width: number): Gutter {
  const longest = rows.reduce((most, { label }) => Math.max(most, label.length), 0);
  const labels = Math.min(longest * letterWidth, width * 0.3, 150);
  return { left: Math.ceil(labels) + strip.letter + strip.width + margin + 8, top: 22 + margin };
}

export function drawAxes(node: SVGSVGElement, run: BisectRun, plot: Plot, gutter: Gutter): void {
  node.replaceChildren();
  node.setAttribute('width', String(gutter.left + plot.width + margin));
  node.setAttribute('height', String(gutter.top + plot.height + margin));
  node.append(positionAxis(plot, gutter), rowLabels(run.rows, plot, gutter));
}

function positionAxis(plot: Plot, gutter: Gutter): SVGGElement {
  const group = svg('g', { class: 'axis', attributes: { transform: `translate(${gutter.left},${gutter.top - margin})` } });
  const room = 9 + 7 * String(plot.positions).length;
  const ticks = ticksOf(plot.positions, tickEvery(plot.cellWidth, room)).map((position) => position + 0.5);
  const scale = scaleLinear([0, plot.positions], [0, plot.width]);
  const axis = axisTop(scale)
    .tickValues(ticks)
    .tickFormat((position) => String(Number(position) - 0.5))
    .tickSize(4)
    .tickSizeOuter(0);
  select(group).call(axis);
  return group;
}

function rowLabels(rows: readonly MapRow[], plot: Plot, gutter: Gutter): SVGGElement {
  const group = svg('g', { class: 'row-labels', attributes: { transform: `translate(0,${gutter.top})` } });
  const every = tickEvery(plot.cellHeight, rowRoom);
  const lastLabelled = rows.length - 1;
  rows.forEach((row, i) => {
    const y = i * plot.cellHeight;
    const label = i % every === 0 || i === lastLabelled;
    const crowded = label && i !== lastLabelled && lastLabelled - i < every && (lastLabelled - i) * plot.cellHeight < rowRoom;
    group.append(...rowMarks(row, y, plot, gutter), ...(label && !crowded ? [rowLabel(row, y, plot, gutter)] : []));
  });
  return group;
}

function rowMarks(row: MapRow, y: number, plot: Plot, gutter: Gutter): SVGElement[] {
  const gap = plot.cellHeight >= 5 ? 1 : 0;
  const x = gutter.left - margin - strip.width;
  const kind = kindWords[row.kind];
  const bar = svg('rect', { class: `kind kind-${row.kind}`, attributes: { x, y, width: strip.width, height: Math.max(0.5, plot.cellHeight - gap) } });
  bar.append(svg('title', {}, kind.name));
  if (plot.cellHeight < rowRoom - 1) return [bar];
  const middle = y + (plot.cellHeight - gap) / 2;
  return [bar, svg('text', { class: `letter kind-${row.kind}`, attributes: { x: x - strip.letter / 2 - 1, y: middle, 'text-anchor': 'middle', 'dominant-baseline': 'central' } }, kind.letter)];
}

function rowLabel(row: MapRow, y: number, plot: Plot, gutter: Gutter): SVGElement {
  const right = gutter.left - margin - strip.width - strip.letter - 5;
  const middle = y + (plot.cellHeight - (plot.cellHeight >= 5 ? 1 : 0)) / 2;
  const text = svg('text', { attributes: { x: right, y: middle, 'text-anchor': 'end', 'dominant-baseline': 'central' } }, clip(row.label, right));
  text.append(svg('title', {}, row.label));
  return text;
}
