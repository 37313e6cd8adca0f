// The chart of a width sweep: throughput against classic decode with every repeat, and below each width its acceptance, verdict and kernels.
import * as l10n from '@vscode/l10n';
import { max, min } from 'd3-array';
import { axisLeft } from 'd3-axis';
import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { formatFloat } from '../../shared/format';
import type { Report } from '../../shared/report';
import { isVerdict } from '../../shared/verdictWord';
import { middleOf, percent } from '../model/numbers';
import { sweepOf, type Sweep, type SweepArm } from '../model/sweep';
import { code, element, foreign, muted, svg, whenChanged, type Child, type Part } from './dom';
import { verdictBadge } from './icons';
import { turner } from './more';
import { scroller } from './scroller';
import { bar } from './table';

/** Pixels. */
const size = { gutter: 74, column: 132, height: 220, top: 10, bottom: 24 } as const;

/** The axis goes a little beyond what it shows. */
const largest = Number.MAX_VALUE / 4;

type Y = ScaleLinear<number, number>;

const middle = (i: number): number => size.gutter + (i + 0.5) * size.column;
const times = (ratio: number): string => `${formatFloat(ratio, 3)}x`;

export function sweepPicture(): Part<{ readonly report: Report }> {
  const node = element('section', { class: 'picture sweep', attributes: { 'aria-label': l10n.t('Picture') } });
  const draw = whenChanged<{ readonly report: Report }>(
    ({ report }) => [report],
    ({ report }) => {
      const sweep = report.kind === 'widths' ? sweepOf(report) : null;
      node.hidden = sweep === null || sweep.arms.length === 0;
      node.replaceChildren(...(sweep === null ? [] : [element('p', { class: 'legend-title' }, l10n.t('Throughput against classic decode, every repeat')), ...arms(sweep), note(sweep)]));
    },
  );
  return { node, update: draw };
}

/** Arms that are shown at once. */
const armsAPage = 50;

/** Chart and table, of more arms than a page shows a part of them; all parts are on one scale. */
function arms(sweep: Sweep): Node[] {
  const y = scaleOf(sweep.arms);
  const { length } = sweep.arms;
  if (length <= armsAPage) return [drawn(sweep, y)];
  const shown = element('div', {});
  return [turner(length, armsAPage, (...figures) => l10n.t('Arms {0} to {1} of {2}', ...figures), (from, to) => {
    const part = { ...sweep, arms: sweep.arms.slice(from, to) };
    shown.replaceChildren(drawn(part, y));
  }), shown];
}

/** Both are as wide as their arms, and move sideways together. */
const drawn = (sweep: Sweep, y: Y): HTMLElement => scroller(l10n.t('Arms of the sweep'), element('div', {}, chart(sweep, y), table(sweep)));

function chart({ arms, floor }: Sweep, y: Y): SVGElement {
  const width = size.gutter + arms.length * size.column;
  const axis = svg('g', { class: 'axis', attributes: { transform: `translate(${size.gutter},0)` } });
  select(axis).call(axisLeft(y).ticks(5).tickFormat((value) => `${Number(value)}x`).tickSizeOuter(0));
  const label = l10n.t('Throughput against classic decode: {0}', arms.map(({ label: name, against }) => `${name} ${times(middleOf(against))}`).join(', '));
  return svg('svg', { class: 'chart', attributes: { role: 'img', 'aria-label': label, width, height: size.height } }, floorBand(floor, y, width), classicLine(y, width), axis, ...arms.map((arm, i) => column(arm, middle(i), y)));
}

/** Up to the fastest repeat. What is beyond what a number can be, or below 0, stands at the edge. */
function scaleOf(arms: readonly SweepArm[]): Y {
  const highest = max(arms, ({ against }) => max(against, (ratio) => (ratio < largest ? ratio : largest))) ?? 0;
  return scaleLinear([0, Math.max(1.1, highest)], [size.height - size.bottom, size.top]).nice(5).clamp(true);
}

const floorBand = (floor: Sweep['floor'], y: Y, width: number): SVGElement | null => {
  if (floor === null) return null;
  const band = svg('rect', { class: 'floor', attributes: { x: size.gutter, y: y(floor[1]), width: width - size.gutter, height: Math.max(1, y(floor[0]) - y(floor[1])) } });
  band.append(svg('title', {}, l10n.t('Classic decode against itself: {0} to {1}', times(floor[0]), times(floor[1]))));
  return band;
};

const classicLine = (y: Y, width: number): SVGElement => svg('line', { class: 'classic', attributes: { x1: size.gutter, x2: width, y1: y(1), y2: y(1) } });

/** The range of the repeats, each of them, and their median. */
function column({ label, against, tokensPerSecond }: SweepArm, x: number, y: Y): SVGElement {
  const group = svg('g', { class: 'arm' });
  const name = svg('text', { class: 'arm-name', attributes: { x, y: size.height - 6, 'text-anchor': 'middle', translate: 'no' } }, label);
  if (against.length === 0) {
    group.append(name);
    return group;
  }
  const [top, bottom] = [y(max(against) ?? 0), y(min(against) ?? 0)];
  const range = svg('path', { class: 'range', attributes: { d: `M${x - 7} ${top}h14M${x} ${top}V${bottom}M${x - 7} ${bottom}h14` } });
  const repeats = apart(against, y).map((i) => {
    const ratio = against[i] ?? NaN;
    const dot = svg('circle', { class: 'repeat', attributes: { cx: x, cy: y(ratio), r: 3.5 } });
    dot.append(svg('title', {}, l10n.t('{0}, repeat {1}: {2}, {3} tokens/s', label, i + 1, times(ratio), formatFloat(tokensPerSecond[i] ?? NaN, 4))));
    return dot;
  });
  const mark = y(middleOf(against));
  group.append(range, ...repeats, svg('path', { class: 'median', attributes: { d: `M${x - 16} ${mark}h32` } }), name);
  return group;
}

/** Every repeat while there are few, else one for each pixel that has any: more would lie on each other. */
function apart(against: readonly number[], y: Y): readonly number[] {
  if (against.length <= size.height) return [...against.keys()];
  return [...new Map(against.map((ratio, i) => [Math.round(y(ratio)), i])).values()];
}

function columnOf(width: number): HTMLElement {
  const made = element('col');
  made.style.width = `${width}px`;
  return made;
}

function verdictOf({ word, decision }: SweepArm): Child {
  if (word === null) return muted('–');
  return isVerdict(word) ? element('span', {}, verdictBadge(word), decision === 'override' ? element('span', { class: 'muted' }, ' ', l10n.t('overridden')) : null) : foreign(word, 'muted');
}

/** In the columns of the chart. */
function table({ arms }: Sweep): HTMLElement {
  const line = (title: string, cells: readonly Child[]): HTMLElement => element('tr', {}, element('th', { attributes: { scope: 'row' } }, title), ...cells.map((cell) => element('td', {}, cell)));
  const made = element(
    'table',
    { class: 'sweep-facts' },
    element('caption', { class: 'reader-only' }, l10n.t('Each arm of the sweep')),
    element('colgroup', {}, columnOf(size.gutter), ...arms.map(() => columnOf(size.column))),
    element('thead', { class: 'reader-only' }, element('tr', {}, element('th', {}), ...arms.map(({ label }) => element('th', { attributes: { scope: 'col', translate: 'no' } }, label)))),
    element(
      'tbody',
      {},
      line(l10n.t('accepted'), arms.map(({ acceptance }) => (acceptance === null ? muted('–') : bar(acceptance, percent(acceptance))))),
      line(l10n.t('verdict'), arms.map(verdictOf)),
      arms.some(({ kernels }) => kernels.length > 0) && line(l10n.t('kernels'), arms.map(({ kernels }) => (kernels.length === 0 ? muted('–') : element('span', {}, ...kernels.map((kernel) => element('div', {}, code(kernel))))))),
    ),
  );
  made.style.width = `${size.gutter + arms.length * size.column}px`;
  return made;
}

function note({ arms, floor }: Sweep): HTMLElement {
  const band = floor === null ? l10n.t('Classic decode was not run against itself, so how much of a difference means something is not known.') : l10n.t('The shaded band is classic decode against itself, {0} to {1}: what lies in it is no difference.', times(floor[0]), times(floor[1]));
  const kernels = arms.some((arm) => arm.kernels.length > 0) ? [l10n.t('Kernels: those that not every width ran.')] : [];
  return element('p', { class: 'muted' }, [band, ...kernels].join(' '));
}
