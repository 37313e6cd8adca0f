// Two requests side by side: what was compared, the first round that differs, and the rounds of both.
import * as l10n from '@vscode/l10n';
import type { CaptureComparison, CompareLevel, RoundField } from '../../shared/captureCompare';
import { formatCount, formatFloat } from '../../shared/format';
import type { RequestDetail, RoundRow } from '../../shared/logReaderProtocol';
import { amount } from '../model/amount';
import { listed } from '../model/listed';
import { element, foreign, muted, type Child } from '../view/dom';
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
  ids: l10n.t('token ids and counts of every round'),
  counts: l10n.t('accepted and drafted counts of every round'),
  figures: l10n.t('totals alone'),
};

/** In a sentence, and alone. */
const fieldWords: Readonly<Record<RoundField, readonly [inSentence: string, alone: string]>> = {
  width: [l10n.t('the block width'), l10n.t('block width')],
  bonus: [l10n.t('the token it starts from'), l10n.t('token it starts from')],
  drafts: [l10n.t('the drafted ids'), l10n.t('drafted ids')],
  targets: [l10n.t("the target's ids"), l10n.t("target's ids")],
  accepted: [l10n.t('the accepted count'), l10n.t('accepted count')],
  emitted: [l10n.t('the emitted ids'), l10n.t('emitted ids')],
};

/** The outcome in a sentence. Equal figures are not called equal runs. */
function outcome({ comparison: { level, first, equalRounds }, a, b }: Compared): string {
  if (level === 'figures') return l10n.t('Only totals can be compared.');
  if (roundsOf({ a, b }) === 0) return l10n.t('Neither request has rounds. Choose others in the lists.');
  if (first === null && level === 'ids') return amount(equalRounds, l10n.t('All {0} round agree, ids and counts.'), l10n.t('All {0} rounds agree, ids and counts.'));
  if (first === null) return amount(equalRounds, l10n.t('The counts of all {0} round agree. Whether the tokens do is not in the logs.'), l10n.t('The counts of all {0} rounds agree. Whether the tokens do is not in the logs.'));
  if (first.fields.length === 0) return amount(first.place, l10n.t('The {0} round that both have agree; then one of them ends.'), l10n.t('The {0} rounds that both have agree; then one of them ends.'));
  return l10n.t('Round {0} is the first that differs: {1}.', formatCount(first.place), listed(first.fields.map((field) => fieldWords[field][0])));
}

function tokensLine({ firstToken, tokens }: CaptureComparison): string | null {
  if (tokens === null) return null;
  if (firstToken === null) return amount(tokens.a, l10n.t('The {0} token of both texts are the same.'), l10n.t('The {0} tokens of both texts are the same.'));
  const one = (id: number | null): string => (id === null ? l10n.t('no token') : l10n.t('id {0}', id));
  return l10n.t('The texts part at token {0}, counted from the first bonus as 0: {1} in A, {2} in B.', formatCount(firstToken.place + 1), one(firstToken.a), one(firstToken.b));
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

const acceptedText = (round: RoundRow | undefined): Child => (round === undefined ? muted(l10n.t('no round')) : round.drafted === null ? String(round.accepted) : l10n.t('{0} of {1}', round.accepted, round.drafted));

function differenceCell(pair: Pair, place: number, first: number | null): Child {
  const fields = differing(pair);
  if (pair.a === undefined || pair.b === undefined) return muted(pair.a === undefined ? l10n.t('only in B') : l10n.t('only in A'));
  if (fields.length === 0) return muted(l10n.t('same'));
  const words = fields.map((field) => fieldWords[field][1]).join(', ');
  return element('span', { class: 'emphasis', attributes: { title: words } }, place === first ? l10n.t('first difference: {0}', words) : words);
}

function roundPairs({ a, b, comparison }: Compared, questions: Questions, events: LogEvents): LongTable<Pair> {
  const first = comparison.first?.place ?? null;
  const columns: readonly LongColumn<Pair>[] = [
    { title: l10n.t('Round'), width: 'col-number', heads: true, number: true, cell: (_, place) => formatCount(place) },
    { title: l10n.t('Difference'), width: 'col-wide', cell: (pair, place) => differenceCell(pair, place, first) },
    { title: 'A', width: 'col-half', cell: ({ a: round }) => (round === undefined ? null : roundCells(round)) },
    { title: l10n.t('Accepted'), width: 'col-count', number: true, cell: (pair) => acceptedText(pair.a) },
    { title: l10n.t('Line'), width: 'col-number', number: true, cell: ({ a: round }) => lineButton(events, 'a', round?.line ?? null) },
    { title: 'B', width: 'col-half', cell: ({ b: round }) => (round === undefined ? null : roundCells(round)) },
    { title: l10n.t('Accepted'), width: 'col-count', number: true, cell: (pair) => acceptedText(pair.b) },
    { title: l10n.t('Line'), width: 'col-number', number: true, cell: ({ b: round }) => lineButton(events, 'b', round?.line ?? null) },
  ];
  const fetch = async (from: number, to: number): Promise<Pair[]> => {
    const [ofA, ofB] = await Promise.all([questions.rows('a', 'rounds', from, to, a.request), questions.rows('b', 'rounds', from, to, b.request)]);
    return Array.from({ length: Math.max(ofA.length, ofB.length) }, (_, i) => ({ a: ofA[i], b: ofB[i] }));
  };
  return new LongTable<Pair>({
    name: 'pairs',
    caption: l10n.t('Rounds of both requests: Enter goes to the line of A'),
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
    caption: l10n.t('Figures of both requests'),
    rows: figures.filter(({ a, b }) => a !== null || b !== null),
    rowClass: ({ a, b }) => (a === null || b === null ? '' : a === b ? 'equal' : 'differs'),
    columns: [
      { title: l10n.t('Figure'), heads: true, cell: ({ name }) => foreign(name) },
      { title: 'A', number: true, cell: ({ a }) => figureText(a) },
      { title: 'B', number: true, cell: ({ b }) => figureText(b) },
      { title: '', cell: ({ a, b }) => (a === null || b === null ? muted(l10n.t('not in both')) : a === b ? muted(l10n.t('same')) : element('span', { class: 'emphasis' }, l10n.t('differs'))) },
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
    element('h2', {}, l10n.t('A and B side by side')),
    element('p', { attributes: { dir: 'auto' } }, element('strong', {}, 'A '), l10n.t('{0}, request {1}', a.name, a.request), element('strong', {}, ' B '), l10n.t('{0}, request {1}', b.name, b.request)),
    element('p', { class: 'outcome', attributes: { role: 'status' } }, outcome(compared)),
    tokens !== null && element('p', {}, tokens),
    element('p', {}, muted(l10n.t('Compared: {0}.', levelWords[level]))),
    notCompared.length > 0 && element('div', { class: 'not-compared' }, element('h3', {}, l10n.t('Not compared, or to keep in mind')), element('ul', { attributes: { translate: 'no' } }, ...notCompared.map((sentence) => element('li', {}, sentence)))),
    figureTable(comparison),
  );
  const node = element('section', { class: 'request compare', attributes: { 'aria-label': l10n.t('Comparison') } }, head);
  const rounds = roundsOf(compared);
  let reveal: (round: number) => void = () => undefined;
  node.append(timeline.node);
  if (level !== 'figures' && rounds > 0) {
    const pairs = roundPairs(compared, questions, events);
    node.append(element('div', { class: 'log-rounds' }, element('h3', {}, l10n.t('Rounds')), cellLegend(), pairs.node));
    pairs.show(rounds, false);
    reveal = (round) => pairs.reveal(round);
    // The table has no height before it stands in the page.
    if (first !== null) requestAnimationFrame(() => pairs.reveal(Math.min(first.place, rounds - 1)));
  }
  // The first bonus stands before the tokens that are compared.
  timeline.show({ ...details, fork: comparison.firstToken === null ? null : comparison.firstToken.place + 1, reveal: (round) => reveal(round), title: `A ${l10n.t('{0}, request {1}', a.name, a.request)} · B ${l10n.t('{0}, request {1}', b.name, b.request)}` });
  return node;
}
