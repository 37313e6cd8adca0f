// A map or a timeline as a drawing of its own: title, verdict, axes, cells, marks and legend, without the page that it comes from.
import { formatCount } from '../../../shared/format';
import type { Cell, Grid, Measure, MeasureName } from '../grid';
import { level, levelsOf, logScale, notCompared, type LogScale } from '../measures';
import { takesDarkText } from '../luminance';
import { clamp } from '../numbers';
import { plotOf, tickEvery, ticksOf, type Plot } from '../plot';
import { wholeSight, type Sight } from '../span';
import { kindWords } from '../words';
import { binsFor, stretches, type Bins } from './bins';
import { tag, xmlText } from './xml';

/** As #rrggbb, which every program reads. */
export interface Colours {
  readonly background: string;
  readonly foreground: string;
  readonly muted: string;
  readonly line: string;
  /** Of the codes of `level`, in their order: not compared, equal, and what differs from mild to grave. */
  readonly levels: readonly string[];
}

export interface Drawn {
  readonly grid: Grid;
  readonly measure: MeasureName;
  readonly sight: Sight | null;
}

export interface Heading {
  readonly title: string;
  readonly verdict: string;
  readonly run: string;
}

/** Pixels. */
const size = { side: 16, most: 1160, least: 640, height: 640, letter: 6.6, label: 200, ramp: 220 } as const;
const token = { width: 72, height: 26 };
const roomOfRow = 12;
const font = 'system-ui, sans-serif';

interface Scene extends Drawn {
  readonly measureUsed: Measure;
  readonly values: Float64Array;
  readonly scale: LogScale;
  readonly levels: Uint8Array;
  readonly colours: Colours;
  readonly plot: Plot;
  readonly bins: Bins;
  /** Of the cells. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

const text = (x: number, y: number, words: string, fill: string, more: Readonly<Record<string, string | number>> = {}): string => tag('text', { x, y, fill, ...more }, xmlText(words));

/** Cut to what fits, with a sign that it was. */
function fitting(words: string, width: number): string {
  const fits = Math.max(1, Math.floor(width / size.letter));
  return words.length <= fits ? words : `${words.slice(0, fits - 1)}…`;
}

/** Words of a sentence in lines of a width. */
function wrapped(words: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of words.split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (longer.length * size.letter > width && lines.at(-1) !== '') lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.slice(0, 8);
}

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
    .map(({ label, kind, y }) => text(left - (letters && kind !== null ? 22 : 8), y, fitting(label, size.label), colours.foreground, { 'text-anchor': 'end', 'font-size': 11 }) + (letters && kind !== null ? text(left - 12, y, kindWords[kind].letter, colours.muted, { 'text-anchor': 'middle', 'font-size': 10 }) : ''))
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
  if (plot.cellWidth >= 5) for (let i = 1; i < plot.sight.positions.size; i++) lines.push(`M${numbers(left + i * plot.cellWidth)} ${top}v${plot.height}`);
  if (plot.cellHeight >= 5) for (let i = 1; i < plot.sight.rows.size; i++) lines.push(`M${left} ${numbers(top + i * plot.cellHeight)}h${plot.width}`);
  return lines.length === 0 ? '' : tag('path', { d: lines.join(''), stroke: colours.background, 'stroke-width': 1, fill: 'none' });
}

const numbers = (...all: readonly number[]): string => all.map((value) => Math.round(value * 100) / 100).join(' ');

const letterOn = (colour: string): string => (takesDarkText(...partsOf(colour)) ? '#000000' : '#ffffff');

const partsOf = (colour: string): [number, number, number] => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];

/** Tokens or signs in cells that have room for them. */
function letters({ grid, measureUsed: { name }, plot, levels, colours, left, top, bins }: Scene): string {
  const { sign, tokens } = grid;
  const words = sign === undefined ? tokens?.text : (cell: Cell): string => sign(cell, name);
  if (words === undefined || bins.aggregated || plot.cellWidth < 14 || plot.cellHeight < 14) return '';
  const { rows, positions } = plot.sight;
  const drawn: string[] = [];
  for (let row = rows.from; row < rows.from + rows.size; row++) {
    for (let position = positions.from; position < positions.from + positions.size; position++) {
      const own = words({ row, position });
      if (own === '') continue;
      const fill = letterOn(colours.levels[levels[row * grid.positions + position] ?? 0] ?? colours.background);
      drawn.push(text(left + (position - positions.from) * plot.cellWidth + 3, top + (row - rows.from + 0.5) * plot.cellHeight + 4, fitting(own, plot.cellWidth - 4), fill));
    }
  }
  return tag('g', { 'font-family': 'monospace', 'font-size': 11 }, drawn.join(''));
}

function boundaries({ grid, plot, left, top, colours }: Scene): string {
  const { from, size: count } = plot.sight.positions;
  const inSight = grid.boundaries.filter(({ position }) => position > from && position < from + count);
  return inSight.map(({ position, label }) => tag('path', { d: `M${numbers(left + (position - from) * plot.cellWidth)} ${top - 4}v${plot.height + 8}`, stroke: colours.foreground, 'stroke-dasharray': '2 3' }, tag('title', {}, xmlText(label)))).join('');
}

function rounds({ grid, plot, left, top, colours }: Scene): string {
  const { from: first, size: count } = plot.sight.positions;
  const inSight = (grid.tokens?.rounds ?? []).filter(({ from, kept }) => from + kept > first && from < first + count);
  if (inSight.length * 5 > plot.width) return '';
  const x = (position: number): number => left + clamp((position - first) * plot.cellWidth, 0, plot.width);
  return inSight
    .map(({ from, kept, rejected, label }) => {
      const [start, end] = [x(from) + 1, x(from + kept) - 2];
      const notch = rejected > 0 ? tag('path', { d: `M${numbers(end - 4)} ${top + plot.height + 6}l4 4v-4z`, fill: colours.foreground }) : '';
      return tag('path', { d: `M${numbers(start)} ${top + plot.height + 2}v4H${numbers(end)}v-4`, fill: 'none', stroke: colours.foreground }, tag('title', {}, xmlText(label))) + notch;
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
  return ring + tag('path', { d: `M${numbers(x)} ${top - 1}l-4 -6h8z`, fill: colours.foreground });
}

interface Key {
  readonly colour: string;
  readonly words: string;
  readonly sign: string;
}

/** The keys of a legend whose colours stand for words. */
function keysOf({ measureUsed: { choices = [], signs = [], scale }, colours, values }: Scene): Key[] {
  const key = (code: number, words: string, sign = ''): Key => ({ colour: colours.levels[code] ?? colours.background, words, sign });
  return [
    key(level.equal, 'equal'),
    ...(values.includes(notCompared) ? [key(level.notCompared, 'not compared')] : []),
    ...(scale === 'choice' || scale === 'delta' ? choices.map((words, i) => key(level.differs + i, words, signs[i])) : []),
  ];
}

function ramp({ scale, measureUsed: { tick }, colours }: Scene, x: number, y: number): string {
  const steps = colours.levels.slice(level.differs);
  const step = size.ramp / steps.length;
  const bars = steps.map((fill, i) => tag('rect', { x: x + i * step, y, width: step + 0.5, height: 10, fill })).join('');
  return bars + scale.ticks.map((value) => text(x + scale.at(value) * size.ramp, y + 23, tick(value), colours.muted, { 'text-anchor': 'middle', 'font-size': 10 })).join('');
}

function legend(scene: Scene, y: number): string {
  const { measureUsed, colours, grid, values } = scene;
  let x = size.side;
  const keys = keysOf(scene).map(({ colour, words, sign }) => {
    const at = x;
    x += 34 + words.length * size.letter;
    const mark = sign === '' ? '' : text(at + 6, y + 20, sign, letterOn(colour), { 'text-anchor': 'middle', 'font-size': 10 });
    return tag('rect', { x: at, y: y + 10, width: 12, height: 12, fill: colour, stroke: colours.line }) + mark + text(at + 18, y + 20, words, colours.muted);
  });
  if (grid.first !== null) {
    keys.push(tag('path', { d: `M${numbers(x)} ${y + 11}h10l-5 9z`, fill: colours.foreground }), text(x + 18, y + 20, 'first divergence', colours.muted));
    x += 140;
  }
  const isRamp = measureUsed.scale === 'log' || measureUsed.scale === 'share';
  return text(size.side, y, measureUsed.describes, colours.foreground) + keys.join('') + (isRamp && values.some((value) => value > 0) ? ramp(scene, size.side + 20, y + 36) : '');
}

function sceneOf({ grid, measure: name, sight }: Drawn, colours: Colours, top: number): Scene {
  const measureUsed = grid.measures.find((one) => one.name === name) ?? grid.measures[0];
  if (measureUsed === undefined) throw new Error('The map has no measure.');
  const values = grid.values(measureUsed.name);
  const scale = logScale(grid.spread?.(measureUsed.name) ?? values, measureUsed);
  const longest = grid.rows.reduce((most, { label }) => Math.max(most, label.length), 0);
  const left = Math.ceil(size.side + Math.min(longest * size.letter, size.label) + 28);
  const space = { width: size.most - left, maxHeight: size.height, ...(grid.tokens === undefined ? {} : { largest: token }) };
  const plot = plotOf(grid.rows.length, grid.positions, space, sight ?? wholeSight(grid.rows.length, grid.positions));
  const levels = levelsOf(values, measureUsed, scale, colours.levels.length - level.differs);
  return { grid, measure: name, sight, measureUsed, values, scale, levels, colours, plot, bins: binsFor(plot), left, top, width: Math.max(size.least, left + plot.width + size.side) };
}

/** What the file is, for who cannot see it, and what it leaves out. */
function description({ bins, plot, grid }: Scene, { run }: Heading): string {
  const { rows, positions } = plot.sight;
  const shown = `${run}: rows ${formatCount(rows.from)} to ${formatCount(rows.from + rows.size - 1)} of ${formatCount(grid.rows.length)}, positions ${formatCount(positions.from)} to ${formatCount(positions.from + positions.size - 1)} of ${formatCount(grid.positions)}.`;
  const merged = `Its ${formatCount(rows.size * positions.size)} cells are aggregated by maximum to ${formatCount(bins.rows.length)} x ${formatCount(bins.columns.length)} rectangles: each has the colour of its gravest cell, so no difference is left out, but not every coloured place is one cell.`;
  return bins.aggregated ? `${shown} ${merged}` : `${shown} Every cell is drawn.`;
}

/** The text of an SVG file and its size in pixels. */
export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

export function document(body: string, { width, height }: Omit<Drawing, 'svg'>, colours: Pick<Colours, 'background'>, { title, description: about }: { readonly title: string; readonly description: string }): Drawing {
  const head = tag('title', {}, xmlText(title)) + tag('desc', {}, xmlText(about)) + tag('rect', { width, height, fill: colours.background });
  return { svg: `<?xml version="1.0" encoding="UTF-8"?>\n${tag('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': font, 'font-size': 12 }, head + body)}\n`, width, height };
}

/** Title, verdict and run as lines, and where the next one would stand. */
export function headingOf({ title, verdict, run }: Heading, { foreground, muted }: Pick<Colours, 'foreground' | 'muted'>, width: number): { readonly body: string; readonly bottom: number } {
  const lines = wrapped(verdict, width - 2 * size.side);
  const body = text(size.side, 28, title, foreground, { 'font-size': 16, 'font-weight': 600 }) + lines.map((line, i) => text(size.side, 50 + i * 16, line, foreground)).join('');
  const bottom = 50 + lines.length * 16;
  return { body: body + text(size.side, bottom + 4, run, muted), bottom: bottom + 20 };
}

export function pictureSvg(drawn: Drawn, heading: Heading, colours: Colours): Drawing {
  // The verdict is wrapped to a width that depends on the map, and the map begins below the verdict.
  const { width } = sceneOf(drawn, colours, 0);
  const head = headingOf(heading, colours, width);
  const scene = sceneOf(drawn, colours, head.bottom + 16);
  const bottom = scene.top + scene.plot.height + (drawn.grid.tokens === undefined ? 24 : 34);
  const parts = [axis, rowLabels, cells, gaps, letters, boundaries, rounds, pin].map((part) => part(scene)).join('');
  return document(head.body + parts + legend(scene, bottom), { width, height: bottom + 76 }, colours, { title: heading.title, description: description(scene, heading) });
}
