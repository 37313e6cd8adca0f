// One request: what a probe can do with it, its figures, its shape, its flagged stretches and its rounds.
import { stretchDefinition, type Stretch } from '../../shared/acceptStretches';
import { formatCount, plural } from '../../shared/format';
import type { RequestDetail, RoundRow } from '../../shared/logReaderProtocol';
import { button, enable } from '../controls';
import { element, muted, type Child } from '../view/dom';
import { histogramChart, positionChart, timelineChart } from './charts';
import type { LogEvents } from './events';
import type { LongTable } from '../view/longTable';
import type { Questions } from './questions';
import { roundTable } from './roundTable';
import type { TimelinePanel } from './timelinePanel';
import { capital, factName, factText, meanText, shareText } from './words';

const number = (value: number | null): string => (value === null ? '–' : formatCount(value));

export interface RequestView {
  readonly node: HTMLElement;
  /** The same request as a growing log has it now: the rounds keep their place. */
  readonly grow: (detail: RequestDetail) => void;
}

export function requestView(detail: RequestDetail, questions: Questions, events: LogEvents, timeline: TimelinePanel): RequestView {
  const above = element('div', { class: 'request-above' });
  const rounds = detail.shown === null || detail.shown === 0 ? null : roundTable('a', detail.ordinal, detail.shown, questions, events);
  const node = element('section', { class: 'request', attributes: { 'aria-label': `Request ${detail.ordinal}` } }, above, timeline.node, rounds?.node ?? element('p', { class: 'empty' }, noRounds(detail)));
  const draw = (now: RequestDetail): void => {
    above.replaceChildren(...parts(now, events, rounds?.table ?? null));
    timeline.show({ a: now, b: null, fork: null, reveal: (round) => rounds?.table.reveal(round) });
  };
  draw(detail);
  return {
    node,
    grow(now) {
      draw(now);
      rounds?.table.show(now.shown ?? 0, true);
    },
  };
}

function noRounds({ kind, grade }: RequestDetail): string {
  return kind === 'warm-up' ? 'This request has no rounds: it warmed the engine up, or nothing was drafted.' : `There are no rounds to show: a log of grade ${grade} does not give them in order.`;
}

function parts(detail: RequestDetail, events: LogEvents, rounds: LongTable<RoundRow> | null): HTMLElement[] {
  const stretches = stretchList(detail, rounds);
  return [heading(detail, events), ...incomplete(detail), figures(detail), charts(detail), ...(stretches === null ? [] : [stretches]), ...facts(detail)];
}

function heading(detail: RequestDetail, events: LogEvents): HTMLElement {
  const { ordinal, request, kind, interleaved, grade, line, usable } = detail;
  const tags = [kind, ...(interleaved ? ['interleaved'] : []), `grade ${grade}`].map((text) => element('span', { class: 'tag' }, text));
  const reason = usable.replay === 'none' ? `Not possible. ${capital(usable.words)}.` : '';
  const replay = button('Replay…', () => events.probe('replay', ordinal), 'primary');
  const rewind = button('Rewind audit…', () => events.probe('rewind', ordinal));
  for (const one of [replay, rewind]) enable(one, reason === '', reason);
  const missing = usable.missing.length === 0 ? '' : ` Missing: ${usable.missing.join('; ')}.`;
  const name = element('h2', { attributes: { dir: 'auto' } }, `Request ${ordinal}${request === null ? '' : ` · ${request}`}`, ...tags);
  return element('div', { class: 'request-heading' }, element('div', {}, name, element('p', { class: 'muted usable' }, `${capital(usable.words)}.${missing}`)), element('div', { class: 'actions' }, replay, rewind, lineAction(events, line)));
}

function lineAction(events: LogEvents, line: number | null): Child {
  return line === null ? null : button(`Go to line ${formatCount(line)}`, () => events.goToLine('a', line));
}

function incomplete({ complete, reason }: RequestDetail): HTMLElement[] {
  return complete ? [] : [element('p', { class: 'notice', attributes: { role: 'status' } }, element('strong', {}, 'Not complete.'), ` ${capital(reason)}.`)];
}

function figures(detail: RequestDetail): HTMLElement {
  const { roundCount, acceptedSum, proposedSum, keptSum, rewinds, zero, partial, full, acceptanceRate, meanLengthWithBonus, promptTokens, generatedTokens, cutInLastRound, firstBonus } = detail;
  const cells: readonly (readonly [name: string, value: string, hint: string])[] = [
    ['rounds', number(roundCount), 'verify rounds of the request'],
    ['accepted', number(acceptedSum), 'accepted drafts, without the bonus tokens'],
    ['drafted', number(proposedSum), 'drafts that were proposed'],
    ['acceptance', shareText(acceptanceRate), 'accepted / drafted'],
    ['mean length', meanText(meanLengthWithBonus), 'with the bonus token: 1 + accepted / rounds'],
    ['kept rows', number(keptSum), 'accepted + rounds: what stays in the state'],
    ['rewinds', number(rewinds), 'rounds that rejected at least one draft'],
    ['none / some / all', [zero, partial, full].map(number).join(' / '), 'rounds that accepted no draft, some, and all of them'],
    ['prompt', number(promptTokens), 'tokens of the prompt'],
    ['generated', number(generatedTokens), `tokens of the answer, with the first one${cutInLastRound === null || cutInLastRound === 0 ? '' : `; ${cutInLastRound} of the last round were cut by the budget`}`],
    ['first bonus', firstBonus === null ? '–' : String(firstBonus), 'id of the first token that the target chooses after the prompt'],
  ];
  return element('dl', { class: 'figures' }, ...cells.map(([name, value, hint]) => element('div', { attributes: { title: value === '–' ? `${hint}: the log does not say` : hint } }, element('dt', {}, name), element('dd', {}, value))));
}

function charts({ shape: { histogram, positions }, timeline, stretches }: RequestDetail): HTMLElement {
  const drawn = [
    ...(timeline === null || timeline.length < 2 ? [] : [timelineChart(timeline, stretches ?? [])]),
    ...(histogram === null ? [] : [histogramChart(histogram)]),
    ...(positions === null || positions.length === 0 ? [] : [positionChart(positions)]),
  ];
  return element('div', { class: 'charts' }, ...drawn);
}

const stretchWords = { none: '0 %', 'nearly all': '~100 %' } as const;

function stretchList({ stretches, flagged, shown }: RequestDetail, rounds: LongTable<RoundRow> | null): HTMLElement | null {
  if (stretches === null || shown === null || shown === 0) return null;
  const all = flagged.none + flagged['nearly all'];
  const items = stretches.map((stretch) => stretchItem(stretch, rounds));
  const more = all - stretches.length;
  const verdict = all === 0 ? 'none' : `${plural(flagged.none, 'stretch', 'stretches')} of 0 %, ${formatCount(flagged['nearly all'])} of about 100 %`;
  return element('div', { class: 'stretches' }, element('h3', {}, `Flagged stretches: ${verdict}`), element('p', {}, muted(stretchDefinition)), items.length > 0 && element('ul', {}, ...items, more > 0 && element('li', {}, muted(`and ${formatCount(more)} more`))));
}

function stretchItem({ kind, from, to, accepted, drafted }: Stretch, rounds: LongTable<RoundRow> | null): HTMLElement {
  const go = element('button', { class: 'plain line' }, `rounds ${formatCount(from)} to ${formatCount(to)}`);
  go.addEventListener('click', () => rounds?.reveal(from));
  return element('li', { class: kind === 'none' ? 'stretch-none' : 'stretch-all' }, element('strong', {}, stretchWords[kind]), ' ', go, muted(`: ${formatCount(accepted)} of ${formatCount(drafted)} drafts accepted`));
}

function facts({ facts: given, flags }: RequestDetail): HTMLElement[] {
  const entries = [...Object.entries(given).map(([name, fact]) => [factName(name), factText(fact)] as const), ...(flags.length === 0 ? [] : [['flags', flags.join(', ')] as const])];
  if (entries.length === 0) return [];
  return [element('details', { class: 'ids' }, element('summary', {}, `${plural(entries.length, 'more fact')} of the log`), element('dl', { class: 'pairs' }, ...entries.flatMap(([name, text]) => [element('dt', {}, name), element('dd', { attributes: { dir: 'auto' } }, text)])))];
}

