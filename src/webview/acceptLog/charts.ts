// Bar charts of a request: histogram, acceptance by position, and all its rounds in one strip.
import * as l10n from '@vscode/l10n';
import { max } from 'd3-array';
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleBand, scaleLinear, type ScaleBand, type ScaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import type { PositionShare, TimelineBin } from '../../shared/acceptShape';
import { stretchAt, type Stretch } from '../../shared/acceptStretches';
import { formatCount } from '../../shared/format';
import { amount } from '../model/amount';
import { tickEvery } from '../model/plot';
import { element, svg } from '../view/dom';
import { shareText } from './words';

const frame = { width: 360, height: 150, left: 46, right: 8, top: 8, bottom: 22 };

interface Bar {
  readonly label: string;
  readonly value: number;
  /** On hover and for screen readers. */
  readonly words: string;
  readonly kind?: string;
}

interface Chart {
  readonly title: string;
  readonly name: string;
  readonly below: string;
  readonly bars: readonly Bar[];
  /** Upper end of the axis at the left. */
  readonly most: number;
  readonly format: (value: number) => string;
}

/** The picture, and the same as a sentence for who cannot see it. */
function chart({ title, name, below, bars, most, format }: Chart): HTMLElement {
  const across = scaleBand(bars.map((_, i) => String(i)), [frame.left, frame.width - frame.right]).paddingInner(bars.length > 60 ? 0 : 0.18);
  const up = scaleLinear([0, most], [frame.height - frame.bottom, frame.top]).nice(4);
  const words = `${title}. ${bars.map((bar) => bar.words).join('; ')}`;
  const picture = svg('svg', { class: 'chart', attributes: { viewBox: `0 0 ${frame.width} ${frame.height}`, role: 'img', 'aria-label': words.slice(0, 4000) } }, axes(across, up, { bars, format }), ...bars.map((bar, i) => barNode(bar, i, across, up)));
  return element('figure', { class: `chart-figure chart-${name}` }, element('figcaption', {}, element('h3', {}, title)), picture, element('p', { class: 'muted chart-below' }, below));
}

function axes(across: ScaleBand<string>, up: ScaleLinear<number, number>, { bars, format }: Pick<Chart, 'bars' | 'format'>): SVGGElement {
  const every = tickEvery(across.step(), 8 * Math.max(1, max(bars, ({ label }) => label.length) ?? 0) + 6);
  const shown = bars.map((_, i) => String(i)).filter((_, i) => i % every === 0);
  const lower = svg('g', { class: 'axis', attributes: { transform: `translate(0,${frame.height - frame.bottom})` } });
  select(lower).call(axisBottom(across).tickValues(shown).tickFormat((i) => bars[Number(i)]?.label ?? '').tickSize(3).tickSizeOuter(0)); // prettier-ignore
  const left = svg('g', { class: 'axis', attributes: { transform: `translate(${frame.left},0)` } });
  select(left).call(axisLeft<number>(up).ticks(4).tickFormat(format).tickSize(3).tickSizeOuter(0)); // prettier-ignore
  return svg('g', {}, lower, left);
}

function barNode({ value: told, words, kind }: Bar, i: number, across: ScaleBand<string>, up: ScaleLinear<number, number>): SVGElement {
  // Of no rounds there is no share.
  const value = Number.isFinite(told) ? told : 0;
  const y = up(value);
  const attributes = { x: across(String(i)) ?? 0, y: Math.min(y, up(0) - (value > 0 ? 1 : 0)), width: Math.max(0.5, across.bandwidth()), height: Math.max(value > 0 ? 1 : 0, up(0) - y) };
  // The whole column answers the pointer, also where the bar is short.
  const column = svg('rect', { class: `chart-column${kind === undefined ? '' : ` chart-column-${kind}`}`, attributes: { ...attributes, y: frame.top, height: up(0) - frame.top, width: Math.max(across.step(), 0.5) } });
  return svg('g', {}, svg('title', {}, words), column, svg('rect', { class: `chart-bar${kind === undefined ? '' : ` chart-bar-${kind}`}`, attributes }));
}

function histogramWords(accepted: number, rounds: number, all: number): string {
  const count = amount(rounds, l10n.t('{0} round'), l10n.t('{0} rounds'));
  return all === 0 ? l10n.t('{0} accepted: {1}', accepted, count) : l10n.t('{0} accepted: {1}, {2}', accepted, count, shareText(rounds / all));
}

export function histogramChart(histogram: readonly number[]): HTMLElement {
  const all = histogram.reduce((total, rounds) => total + rounds, 0);
  const bars = histogram.map((rounds, j) => ({ label: String(j), value: rounds, words: histogramWords(j, rounds, all) }));
  return chart({ title: l10n.t('Rounds by accepted drafts'), name: 'histogram', below: l10n.t('accepted drafts of a round'), bars, most: Math.max(1, max(histogram) ?? 0), format: (value) => (Number.isInteger(value) ? formatCount(value) : '') });
}

export function positionChart(positions: readonly PositionShare[]): HTMLElement {
  const bars = positions.map(({ share, survived, drafted }, k) => ({ label: String(k + 1), value: Math.min(1, Math.max(0, share)), words: survived === null || drafted === null ? l10n.t('draft {0}: {1} survived', k + 1, shareText(share)) : l10n.t('draft {0}: {1} survived, {2} of {3}', k + 1, shareText(share), formatCount(survived), formatCount(drafted)) }));
  return chart({ title: l10n.t('Acceptance by position'), name: 'positions', below: l10n.t('draft of a round; share of the rounds that drafted it'), bars, most: 1, format: (value) => `${Math.round(value * 100)} %` });
}

const kinds = { none: 'none', 'nearly all': 'all' } as const;

export function timelineChart(bins: readonly TimelineBin[], stretches: readonly Stretch[]): HTMLElement {
  const bars = bins.map(({ from, to, accepted, drafted }): Bar => {
    const stretch = stretchAt(stretches, from) ?? stretchAt(stretches, to - 1);
    const figures = [to - from === 1 ? l10n.t('round {0}', from) : l10n.t('rounds {0} to {1}', formatCount(from), formatCount(to - 1)), formatCount(accepted), formatCount(drafted)];
    const words = stretch === null ? l10n.t('{0}: {1} of {2} drafts accepted', ...figures) : stretch.kind === 'none' ? l10n.t('{0}: {1} of {2} drafts accepted, in a stretch of 0 %', ...figures) : l10n.t('{0}: {1} of {2} drafts accepted, in a stretch of about 100 %', ...figures);
    return { label: formatCount(from), value: drafted === 0 ? 0 : accepted / drafted, words, ...(stretch === null ? {} : { kind: kinds[stretch.kind] }) };
  });
  return chart({ title: l10n.t('Acceptance over the request'), name: 'timeline', below: l10n.t('round; share of its drafts that were accepted'), bars, most: 1, format: (value) => `${Math.round(value * 100)} %` });
}
