// The chart of verdicts by length, with the first bad length named. A point leads to its run.
import * as l10n from '@vscode/l10n';
import { scalePoint, type ScalePoint } from 'd3-scale';
import { formatCount } from '../../shared/format';
import type { Report } from '../../shared/report';
import { verdictWords } from '../../shared/verdictWord';
import { lengthChart, type LengthChart, type LengthPoint } from '../model/lengths';
import type { Store } from '../store';
import { element, svg, whenChanged, type Part } from './dom';
import { verdictIcon } from './icons';

/** Pixels. */
const size = { gutter: 74, column: 52, row: 24, top: 24, bottom: 42, icon: 15, least: 320 } as const;

interface Scales {
  readonly x: ScalePoint<number>;
  readonly y: ScalePoint<string>;
  readonly width: number;
  readonly height: number;
}

function scalesOf({ points }: LengthChart): Scales {
  const words = verdictWords.filter((word) => points.some((point) => point.word === word));
  const [width, height] = [Math.max(size.least, size.gutter + points.length * size.column), size.top + words.length * size.row + size.bottom];
  return {
    x: scalePoint(points.map(({ length }) => length), [size.gutter, size.gutter + points.length * size.column]).padding(0.5),
    y: scalePoint<string>(words, [size.top, height - size.bottom]).padding(0.5),
    width,
    height,
  };
}

export function lengthPicture(store: Store): Part<{ readonly report: Report }> {
  const node = element('section', { class: 'picture lengths', attributes: { 'aria-label': l10n.t('Lengths') } });
  const choose = (run: number): void => store.dispatch({ type: 'run', run });
  const draw = whenChanged<{ readonly report: Report }>(
    ({ report }) => [report],
    ({ report }) => {
      const chart = lengthChart(report);
      node.hidden = chart === null;
      node.replaceChildren(...(chart === null ? [] : [element('p', { class: 'legend-title' }, chart.title), scroller(chart, drawn(chart, choose))]));
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
  const outcome = firstBad === null ? l10n.t('no length is bad') : l10n.t('first bad: {0}', firstBad.length);
  const attributes = { role: 'group', 'aria-label': l10n.t('{0}, {1} lengths, {2}', title, points.length, outcome), width, height };
  const below = svg('text', { class: 'axis-title', attributes: { x: size.gutter, y: height - 6 } }, axis);
  return svg('svg', { class: 'chart', attributes }, ...wordRows(scales), below, ...points.map((point) => tick(point, scales)), firstBad === null ? null : annotation(firstBad, scales), ...points.map((point) => mark(point, scales, choose)));
}

function wordRows({ y, width }: Scales): SVGElement[] {
  return y.domain().map((word) => {
    const at = y(word) ?? 0;
    return svg('g', { attributes: { 'aria-hidden': 'true' } }, svg('line', { class: 'rule', attributes: { x1: size.gutter, x2: width, y1: at, y2: at } }), svg('text', { class: 'arm-name', attributes: { x: size.gutter - 12, y: at, 'text-anchor': 'end', 'dominant-baseline': 'central', translate: 'no' } }, word));
  });
}

const tick = ({ length }: LengthPoint, { x, height }: Scales): SVGElement => svg('text', { class: 'length', attributes: { x: x(length) ?? 0, y: height - size.bottom + 16, 'text-anchor': 'middle', 'aria-hidden': 'true' } }, formatCount(length));

/** At the right end its words stand at the left of the line. */
function annotation({ length }: LengthPoint, { x, width, height }: Scales): SVGElement {
  const at = x(length) ?? 0;
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
