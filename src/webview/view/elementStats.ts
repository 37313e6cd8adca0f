// How the differences of a tap are spread: by distance, and by head or stripe. Computed when looked at.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import { amount } from '../model/amount';
import { share } from '../model/numbers';
import { cutOf, groupsOf, ulpHistogram, type Bucket, type Group } from '../model/elementStats';
import type { ShownTap } from '../model/shownTap';
import type { TensorPair } from '../model/tensorPair';
import { element, muted, whenChanged, type Part } from './dom';
import { fold, type Fold } from './fold';
import { bar, table, type Column } from './table';

export interface StatsInput {
  readonly shown: ShownTap;
  readonly sections: Readonly<Record<string, boolean>>;
}

interface StatsEvents {
  readonly toggled: (name: string, open: boolean) => void;
  readonly choose: (index: number) => void;
}

export function elementStats({ toggled, choose }: StatsEvents): Part<StatsInput> {
  const parts = [
    statsPart('ulps', l10n.t('Differences by ULP'), toggled, (pair) => [elements(pair.differing.length), histogram(pair)]),
    statsPart('groups', l10n.t('Differences by head or stripe'), toggled, (pair, { heads }) => grouped(pair, cutOf(pair, heads), choose)),
  ];
  return { node: element('div', { class: 'element-stats' }, ...parts.map(({ node }) => node)), update: (input) => parts.forEach((part) => part.update(input)) };
}

const elements = (count: number): string => amount(count, l10n.t('{0} element'), l10n.t('{0} elements'));

function statsPart(name: string, title: string, toggled: StatsEvents['toggled'], draw: (pair: TensorPair, shown: ShownTap) => readonly [string, HTMLElement]): Part<StatsInput> {
  const body = element('div');
  const made: Fold = fold({ name, title, open: false }, body, toggled);
  let note = '';
  const renew = whenChanged<StatsInput>(
    ({ shown: { pair }, sections }) => [pair, sections[name]],
    ({ shown, sections }) => {
      note = '';
      if (shown.pair === null || sections[name] !== true) return;
      const [words, content] = draw(shown.pair, shown);
      const { count, source } = shown.pair;
      note = count === source.total ? words : l10n.t('{0} · of the {1} elements that are here', words, formatCount(count));
      body.replaceChildren(content);
    },
  );
  return {
    node: made.node,
    update(input) {
      made.node.hidden = input.shown.pair === null;
      renew(input);
      made.update(note, input.sections);
    },
  };
}

function histogram(pair: TensorPair): HTMLElement {
  const buckets = ulpHistogram(pair);
  if (buckets.length === 0) return element('p', { class: 'empty' }, l10n.t('No element differs.'));
  const most = buckets.reduce((highest, { count }) => Math.max(highest, count), 1);
  const columns: readonly Column<Bucket>[] = [
    { title: l10n.t('ULP'), heads: true, number: true, cell: ({ label }) => label },
    { title: l10n.t('Elements'), cell: ({ count }) => bar(share(count, most), formatCount(count)) },
  ];
  return element('div', { class: 'histogram' }, table({ caption: l10n.t('Differing elements by their distance'), columns, rows: buckets }));
}

function grouped(pair: TensorPair, cut: ReturnType<typeof cutOf>, choose: (index: number) => void): readonly [string, HTMLElement] {
  if (cut === null) return ['', element('p', { class: 'empty' }, l10n.t('A row of {0} is not cut any further.', elements(pair.source.total)))];
  const byHead = cut.name === 'head';
  const groups = groupsOf(pair, cut.width);
  const touched = groups.filter(({ differing }) => differing > 0).length;
  const name = ({ from }: Group): string => (byHead ? l10n.t('head {0}', from / cut.width) : l10n.t('from {0}', formatCount(from)));
  const columns: readonly Column<Group>[] = [
    { title: byHead ? l10n.t('Head') : l10n.t('Stripe'), heads: true, cell: (group) => groupName(name(group), group, choose) },
    { title: l10n.t('Differ'), number: true, cell: ({ differing, elements: all }) => bar(share(differing, all), l10n.t('{0} of {1}', formatCount(differing), formatCount(all))) },
    { title: l10n.t('Max ULP'), number: true, cell: ({ differing, maxUlp }) => (differing === 0 ? muted('=') : Number.isNaN(maxUlp) ? '—' : formatCount(maxUlp)) },
    { title: 'Σ |A − B|', number: true, cell: ({ differing, sumApart }) => (differing === 0 ? muted('=') : sum(sumApart)) },
    { title: 'Σ A', number: true, cell: ({ sumA }) => sum(sumA) },
    { title: 'Σ B', number: true, cell: ({ sumB }) => sum(sumB) },
  ];
  const cuts = byHead ? amount(groups.length, l10n.t('{0} head'), l10n.t('{0} heads')) : amount(groups.length, l10n.t('{0} stripe'), l10n.t('{0} stripes'));
  const rowClass = ({ differing }: Group): string => (differing === 0 ? 'equal' : 'differs');
  return [l10n.t('{0} of {1} of {2}', formatCount(touched), cuts, elements(cut.width)), table({ caption: byHead ? l10n.t('Differing elements by head') : l10n.t('Differing elements by stripe'), columns, rows: groups, rowClass })];
}

const sum = (value: number): string => (Number.isFinite(value) ? formatFloat(value, 5) : String(value));

function groupName(name: string, { first }: Group, choose: (index: number) => void): HTMLElement {
  if (first < 0) return element('span', {}, name);
  const made = element('button', { class: 'plain', attributes: { title: l10n.t('Go to its first difference') } }, name);
  made.addEventListener('click', () => choose(first));
  return made;
}
