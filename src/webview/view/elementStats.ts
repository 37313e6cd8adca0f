// How the differences of a tap are spread: by distance, and by head or stripe. Computed when looked at.
import { formatCount, formatFloat, plural } from '../../shared/format';
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
    statsPart('ulps', 'Differences by ULP', toggled, (pair) => [plural(pair.differing.length, 'element'), histogram(pair)]),
    statsPart('groups', 'Differences by head or stripe', toggled, (pair, { heads }) => grouped(pair, cutOf(pair, heads), choose)),
  ];
  return { node: element('div', { class: 'element-stats' }, ...parts.map(({ node }) => node)), update: (input) => parts.forEach((part) => part.update(input)) };
}

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
      note = count === source.total ? words : `${words} · of the ${formatCount(count)} elements that are here`;
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
  if (buckets.length === 0) return element('p', { class: 'empty' }, 'No element differs.');
  const most = buckets.reduce((highest, { count }) => Math.max(highest, count), 1);
  const columns: readonly Column<Bucket>[] = [
    { title: 'ULP', heads: true, number: true, cell: ({ label }) => label },
    { title: 'Elements', cell: ({ count }) => bar(share(count, most), formatCount(count)) },
  ];
  return element('div', { class: 'histogram' }, table({ caption: 'Differing elements by their distance', columns, rows: buckets }));
}

function grouped(pair: TensorPair, cut: ReturnType<typeof cutOf>, choose: (index: number) => void): readonly [string, HTMLElement] {
  if (cut === null) return ['', element('p', { class: 'empty' }, `A row of ${plural(pair.source.total, 'element')} is not cut any further.`)];
  const groups = groupsOf(pair, cut.width);
  const touched = groups.filter(({ differing }) => differing > 0).length;
  const name = ({ from }: Group): string => (cut.name === 'head' ? `head ${from / cut.width}` : `from ${formatCount(from)}`);
  const columns: readonly Column<Group>[] = [
    { title: cut.name === 'head' ? 'Head' : 'Stripe', heads: true, cell: (group) => groupName(name(group), group, choose) },
    { title: 'Differ', number: true, cell: ({ differing, elements }) => bar(share(differing, elements), `${formatCount(differing)} of ${formatCount(elements)}`) },
    { title: 'Max ULP', number: true, cell: ({ differing, maxUlp }) => (differing === 0 ? muted('=') : Number.isNaN(maxUlp) ? '—' : formatCount(maxUlp)) },
    { title: 'Σ |A − B|', number: true, cell: ({ differing, sumApart }) => (differing === 0 ? muted('=') : sum(sumApart)) },
    { title: 'Σ A', number: true, cell: ({ sumA }) => sum(sumA) },
    { title: 'Σ B', number: true, cell: ({ sumB }) => sum(sumB) },
  ];
  const noun = cut.name === 'head' ? 'head' : 'stripe';
  const rowClass = ({ differing }: Group): string => (differing === 0 ? 'equal' : 'differs');
  return [`${formatCount(touched)} of ${plural(groups.length, noun)} of ${plural(cut.width, 'element')}`, table({ caption: `Differing elements by ${noun}`, columns, rows: groups, rowClass })];
}

const sum = (value: number): string => (Number.isFinite(value) ? formatFloat(value, 5) : String(value));

function groupName(name: string, { first }: Group, choose: (index: number) => void): HTMLElement {
  if (first < 0) return element('span', {}, name);
  const made = element('button', { class: 'plain', attributes: { title: 'Go to its first difference' } }, name);
  made.addEventListener('click', () => choose(first));
  return made;
}
