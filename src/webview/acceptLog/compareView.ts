// Two requests side by side: what was compared, the first round that differs, and the rounds of both.
import type { CaptureComparison, CompareLevel, RoundField } from '../../shared/captureCompare';
import { formatCount, formatFloat, formatList, plural } from '../../shared/format';
import type { RequestDetail, RoundRow } from '../../shared/logReaderProtocol';
import { element, muted, type Child } from '../view/dom';
import { table } from '../view/table';
import type { LogEvents } from './events';
import { lineButton } from './lineButton';
import { LongTable, type LongColumn } from '../view/longTable';
import type { Questions } from './questions';
import { cellLegend, roundCells } from './roundCells';
import type { TimelinePanel } from './timelinePanel';

export interface Compared {
  readonly comparison: CaptureComparison;
  readonly a: { readonly name: string; readonly request: number; readonly shown: number };
  readonly b: { readonly name: string; readonly request: number; readonly shown: number };
}

/** Of the longer of both. */
const roundsOf = ({ a, b }: Pick<Compared, 'a' | 'b'>): number => Math.max(a.shown, b.shown);

const levelWords: Readonly<Record<CompareLevel, string>> = {
  ids: 'token ids and counts of every round',
  counts: 'accepted and drafted counts of every round',
  figures: 'totals alone',
};

const fieldWords: Readonly<Record<RoundField, string>> = { width: 'the block width', bonus: 'the token it starts from', drafts: 'the drafted ids', targets: "the target's ids", accepted: 'the accepted count', emitted: 'the emitted ids' };

/** The outcome in a sentence. Equal figures are not called equal runs. */
function outcome({ comparison: { level, first, equalRounds }, a, b }: Compared): string {
  if (level === 'figures') return 'Only totals can be compared.';
  if (roundsOf({ a, b }) === 0) return 'Neither request has rounds. Choose others in the lists.';
  if (first === null) return level === 'ids' ? `All ${plural(equalRounds, 'round')} agree, ids and counts.` : `The counts of all ${plural(equalRounds, 'round')} agree. Whether the tokens do is not in the logs.`;
  if (first.fields.length === 0) return `The ${plural(first.place, 'round')} that both have agree; then one of them ends.`;
  return `Round ${formatCount(first.place)} is the first that differs: ${formatList(first.fields.map((field) => fieldWords[field]))}.`;
}

function tokensLine({ firstToken, tokens }: CaptureComparison): string | null {
  if (tokens === null) return null;
  if (firstToken === null) return `The ${plural(tokens.a, 'token')} of both texts are the same.`;
  const one = (id: number | null): string => (id === null ? 'no token' : `id ${id}`);
  return `The texts part at token ${formatCount(firstToken.place)} behind the first bonus: ${one(firstToken.a)} in A, ${one(firstToken.b)} in B.`;
}

interface Pair {
  readonly a: RoundRow | undefined;
  readonly b: RoundRow | undefined;
}

const listText = (value: RoundRow[RoundField]): string => JSON.stringify(value);

/** Fields that both give and that differ. */
function differing({ a, b }: Pair): RoundField[] {
  if (a === undefined || b === undefined) return [];
  return (Object.keys(fieldWords) as RoundField[]).filter((field) => a[field] !== null && b[field] !== null && listText(a[field]) !== listText(b[field]));
}

const acceptedText = (round: RoundRow | undefined): Child => (round === undefined ? muted('no round') : `${round.accepted}${round.drafted === null ? '' : ` of ${round.drafted}`}`);

function differenceCell(pair: Pair, place: number, first: number | null): Child {
  const fields = differing(pair);
  if (pair.a === undefined || pair.b === undefined) return muted(pair.a === undefined ? 'only in B' : 'only in A');
  if (fields.length === 0) return muted('same');
  const words = fields.map((field) => fieldWords[field].replace(/^the |^it /, '')).join(', ');
  return element('span', { class: 'emphasis', attributes: { title: words } }, place === first ? `first difference: ${words}` : words);
}

function roundPairs({ a, b, comparison }: Compared, questions: Questions, events: LogEvents): LongTable<Pair> {
  const first = comparison.first?.place ?? null;
  const columns: readonly LongColumn<Pair>[] = [
    { title: 'Round', width: 'col-number', heads: true, number: true, cell: (_, place) => formatCount(place) },
    { title: 'Difference', width: 'col-wide', cell: (pair, place) => differenceCell(pair, place, first) },
    { title: 'A', width: 'col-half', cell: ({ a: round }) => (round === undefined ? null : roundCells(round)) },
    { title: 'Accepted', width: 'col-count', number: true, cell: (pair) => acceptedText(pair.a) },
    { title: 'Line', width: 'col-number', number: true, cell: ({ a: round }) => lineButton(events, 'a', round?.line ?? null) },
    { title: 'B', width: 'col-half', cell: ({ b: round }) => (round === undefined ? null : roundCells(round)) },
    { title: 'Accepted', width: 'col-count', number: true, cell: (pair) => acceptedText(pair.b) },
    { title: 'Line', width: 'col-number', number: true, cell: ({ b: round }) => lineButton(events, 'b', round?.line ?? null) },
  ];
  const fetch = async (from: number, to: number): Promise<Pair[]> => {
    const [ofA, ofB] = await Promise.all([questions.rows('a', 'rounds', from, to, a.request), questions.rows('b', 'rounds', from, to, b.request)]);
    return Array.from({ length: Math.max(ofA.length, ofB.length) }, (_, i) => ({ a: ofA[i], b: ofB[i] }));
  };
  return new LongTable<Pair>({
    name: 'pairs',
    caption: 'Rounds of both requests: Enter goes to the line of A',
    columns,
    fetch,
    failed: events.failed,
    rowClass: (pair, place) => [place === first ? 'first' : '', differing(pair).length > 0 || pair.a === undefined || pair.b === undefined ? 'differs' : ''].join(' ').trim(),
    entered: ({ a: round }) => {
      const line = round?.line ?? null;
      if (line !== null) events.goToLine('a', line);
    },
  });
}

const figureText = (value: number | null): string => (value === null ? '–' : Number.isInteger(value) ? formatCount(value) : formatFloat(value, 4));

function figureTable({ figures }: CaptureComparison): HTMLElement {
  return table({
    caption: 'Figures of both requests',
    rows: figures.filter(({ a, b }) => a !== null || b !== null),
    rowClass: ({ a, b }) => (a === null || b === null ? '' : a === b ? 'equal' : 'differs'),
    columns: [
      { title: 'Figure', heads: true, cell: ({ name }) => name },
      { title: 'A', number: true, cell: ({ a }) => figureText(a) },
      { title: 'B', number: true, cell: ({ b }) => figureText(b) },
      { title: '', cell: ({ a, b }) => (a === null || b === null ? muted('not in both') : a === b ? muted('same') : element('span', { class: 'emphasis' }, 'differs')) },
    ],
  });
}

export function compareView(compared: Compared, details: { readonly a: RequestDetail; readonly b: RequestDetail }, questions: Questions, events: LogEvents, timeline: TimelinePanel): HTMLElement {
  const { comparison, a, b } = compared;
  const { level, notCompared, first } = comparison;
  const tokens = tokensLine(comparison);
  const head = element(
    'div',
    { class: 'compare-head' },
    element('h2', {}, 'A and B side by side'),
    element('p', { attributes: { dir: 'auto' } }, element('strong', {}, 'A '), `${a.name}, request ${a.request}`, element('strong', {}, ' B '), `${b.name}, request ${b.request}`),
    element('p', { class: 'outcome', attributes: { role: 'status' } }, outcome(compared)),
    tokens !== null && element('p', {}, tokens),
    element('p', {}, muted(`Compared: ${levelWords[level]}.`)),
    notCompared.length > 0 && element('div', { class: 'not-compared' }, element('h3', {}, 'Not compared, or to keep in mind'), element('ul', {}, ...notCompared.map((sentence) => element('li', {}, sentence)))),
    figureTable(comparison),
  );
  const node = element('section', { class: 'request compare', attributes: { 'aria-label': 'Comparison' } }, head);
  const rounds = roundsOf(compared);
  let reveal: (round: number) => void = () => undefined;
  node.append(timeline.node);
  if (level !== 'figures' && rounds > 0) {
    const pairs = roundPairs(compared, questions, events);
    node.append(element('div', { class: 'log-rounds' }, element('h3', {}, 'Rounds'), cellLegend(), pairs.node));
    pairs.show(rounds, false);
    reveal = (round) => pairs.reveal(round);
    // The table has no height before it stands in the page.
    if (first !== null) requestAnimationFrame(() => pairs.reveal(Math.min(first.place, rounds - 1)));
  }
  // The first bonus stands before the tokens that are compared.
  timeline.show({ ...details, fork: comparison.firstToken === null ? null : comparison.firstToken.place + 1, reveal: (round) => reveal(round) });
  return node;
}
