// The chart of verdicts by length, with the first bad length named. A point leads to its run.
import * as l10n from '@vscode/l10n';
import { scalePoint, type ScalePoint } from 'd3-scale';
import { formatCount } from '../../shared/format';
import type { Report } from '../../shared/report';
import { gravest, verdictWords, type VerdictWord } from '../../shared/verdictWord';
import { lengthChart, type LengthChart, type LengthPoint } from '../model/lengths';
import { binsOf, tickEvery, ticksOf } from '../model/plot';
import type { Store } from '../store';
import { element, svg, whenChanged, type Part } from './dom';
import { verdictIcon } from './icons';

/** Pixels. `strip`: of a chart of more lengths than have a column each. */
const size = { gutter: 74, column: 52, row: 24, top: 24, bottom: 42, icon: 15, least: 320, strip: 800 } as const;
/** Lengths that have a column, and a place of the tab order, each. */
const mostColumns = 200;

interface Scales {
  readonly x: ScalePoint<number>;
  readonly y: ScalePoint<string>;
  readonly width: number;
  readonly height: number;
}

function rowsOf({ points }: LengthChart): { readonly words: readonly VerdictWord[]; readonly height: number; readonly y: Scales['y'] } {
  const words = verdictWords.filter((word) => points.some((point) => point.word === word));
  const height = size.top + words.length * size.row + size.bottom;
  return { words, height, y: scalePoint<string>(words, [size.top, height - size.bottom]).padding(0.5) };
}

function scalesOf(chart: LengthChart): Scales {
  const { points } = chart;
  const { y, height } = rowsOf(chart);
  return {
    x: scalePoint(points.map(({ length }) => length), [size.gutter, size.gutter + points.length * size.column]).padding(0.5),
    y,
    width: Math.max(size.least, size.gutter + points.length * size.column),
    height,
  };
}

const outcomeOf = ({ firstBad }: LengthChart): string => (firstBad === null ? l10n.t('no length is bad') : l10n.t('first bad: {0}', firstBad.length));

export function lengthPicture(store: Store): Part<{ readonly report: Report }> {
  const node = element('section', { class: 'picture lengths', attributes: { 'aria-label': l10n.t('Lengths') } });
  const choose = (run: number): void => store.dispatch({ type: 'run', run });
  const draw = whenChanged<{ readonly report: Report }>(
    ({ report }) => [report],
    ({ report }) => {
      const chart = lengthChart(report);
      node.hidden = chart === null;
      node.replaceChildren(...(chart === null ? [] : [element('p', { class: 'legend-title' }, chart.title), ...(chart.points.length > mostColumns ? strip(chart) : [scroller(chart, drawn(chart, choose))])]));
    },
  );
  return { node, update: draw };
}

/** By key as well, where no point in it can be reached. */
function scroller({ points }: LengthChart, picture: SVGElement): HTMLElement {
  const focus = points.every(({ run }) => run === null) ? { tabindex: 0, role: 'group', 'aria-label': l10n.t('Chart') } : {};
  return element('div', { class: 'chart-scroll', attributes: focus }, picture);
}

function drawn(chart: LengthChart, choose: (run: number) => void): SVGElement {
  const scales = scalesOf(chart);
  const { width, height } = scales;
  const { firstBad, title, points, axis } = chart;
  const attributes = { role: 'group', 'aria-label': l10n.t('{0}, {1} lengths, {2}', title, points.length, outcomeOf(chart)), width, height };
  const below = svg('text', { class: 'axis-title', attributes: { x: size.gutter, y: height - 6 } }, axis);
  return svg('svg', { class: 'chart', attributes }, ...wordRows(scales), below, ...points.map((point) => tick(point, scales)), firstBad === null ? null : annotation(firstBad, scales), ...points.map((point) => mark(point, scales, choose)));
}

function wordRows({ y, width }: Pick<Scales, 'y' | 'width'>): SVGElement[] {
  return y.domain().map((word) => {
    const at = y(word) ?? 0;
    return svg('g', { attributes: { 'aria-hidden': 'true' } }, svg('line', { class: 'rule', attributes: { x1: size.gutter, x2: width, y1: at, y2: at } }), svg('text', { class: 'arm-name', attributes: { x: size.gutter - 12, y: at, 'text-anchor': 'end', 'dominant-baseline': 'central', translate: 'no' } }, word));
  });
}

/** Many lengths: a mark a pixel, on the line of the gravest verdict of those that share it, as in the heat map. */
function strip(chart: LengthChart): Node[] {
  const { points, title, axis, firstBad } = chart;
  const { y, height, words } = rowsOf(chart);
  const width = size.gutter + size.strip;
  const bins = binsOf({ from: 0, size: points.length }, Math.min(points.length, size.strip));
  const across = size.strip / bins.length;
  const marks = new Map<VerdictWord, string>();
  bins.forEach(({ first, last }, i) => {
    const word = gravest(points.slice(first, last).map((point) => point.word));
    marks.set(word, `${marks.get(word) ?? ''}M${size.gutter + i * across} ${(y(word) ?? 0) - 5}v10h${across}v-10z`);
  });
  const at = (place: number): number => size.gutter + (place / points.length) * size.strip;
  const every = tickEvery(size.strip / points.length, 16 + 7 * formatCount(points.at(-1)?.length ?? 0).length);
  const ticks = ticksOf({ from: 0, size: points.length }, every).map((place) => tickAt(points[place]?.length ?? 0, at(place + 0.5), height));
  const attributes = { role: 'img', 'aria-label': l10n.t('{0}, {1} lengths, {2}', title, formatCount(points.length), outcomeOf(chart)), width, height };
  const below = svg('text', { class: 'axis-title', attributes: { x: size.gutter, y: height - 6 } }, axis);
  const paths = words.map((word) => svg('path', { class: `strip verdict-${word}`, attributes: { d: marks.get(word) ?? '' } }, svg('title', {}, word)));
  const flag = firstBad === null ? null : flagAt(firstBad.length, at(points.indexOf(firstBad) + 0.5), width, height);
  const picture = svg('svg', { class: 'chart', attributes }, ...wordRows({ y, width }), below, ...ticks, ...paths, flag);
  const note = l10n.t('{0} lengths, up to {1} of them a mark: it stands for the gravest.', formatCount(points.length), formatCount(Math.ceil(points.length / bins.length)));
  return [element('div', { class: 'chart-scroll', attributes: { tabindex: 0, role: 'group', 'aria-label': l10n.t('Chart') } }, picture), element('p', { class: 'muted' }, note)];
}

const tick = ({ length }: LengthPoint, { x, height }: Scales): SVGElement => tickAt(length, x(length) ?? 0, height);

const tickAt = (length: number, x: number, height: number): SVGElement => svg('text', { class: 'length', attributes: { x, y: height - size.bottom + 16, 'text-anchor': 'middle', 'aria-hidden': 'true' } }, formatCount(length));

const annotation = ({ length }: LengthPoint, { x, width, height }: Scales): SVGElement => flagAt(length, x(length) ?? 0, width, height);

/** At the right end its words stand at the left of the line. */
function flagAt(length: number, at: number, width: number, height: number): SVGElement {
  const words = l10n.t('first bad: {0}', formatCount(length));
  const isRight = at + 8 * words.length > width;
  const line = svg('line', { attributes: { x1: at, x2: at, y1: 6, y2: height - size.bottom } });
  return svg('g', { class: 'first-bad', attributes: { 'aria-hidden': 'true' } }, line, svg('text', { attributes: { x: at + (isRight ? -6 : 6), y: 14, 'text-anchor': isRight ? 'end' : 'start' } }, words));
}

function mark({ length, word, run, words }: LengthPoint, { x, y }: Scales, choose: (run: number) => void): SVGElement {
  const [cx, cy] = [x(length) ?? 0, y(word) ?? 0];
  const icon = verdictIcon(word);
  const place = { x: cx - size.icon / 2, y: cy - size.icon / 2, width: size.icon, height: size.icon };
  for (const [name, value] of Object.entries(place)) icon.setAttribute(name, String(value));
  const attributes = run === null ? { role: 'img', 'aria-label': words } : { role: 'button', tabindex: 0, 'aria-label': words };
  // All of the column answers the pointer.
  const area = svg('rect', { class: 'point-area', attributes: { x: cx - size.column / 2, y: cy - size.row / 2, width: size.column, height: size.row } });
  const group = svg('g', { class: 'point', attributes }, svg('title', {}, words), area, icon);
  if (run === null) return group;
  group.addEventListener('click', () => choose(run));
  group.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(run);
  });
  return group;
}
