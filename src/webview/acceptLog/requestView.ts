// One request: what a probe can do with it, its figures, its shape, its flagged stretches and its rounds.
import * as l10n from '@vscode/l10n';
import { stretchDefinition, type Stretch } from '../../shared/acceptStretches';
import { formatCount } from '../../shared/format';
import type { RequestDetail, RoundRow } from '../../shared/logReaderProtocol';
import { button, enable } from '../controls';
import { amount } from '../model/amount';
import { element, foreign, muted, type Child } from '../view/dom';
import { histogramChart, positionChart, timelineChart } from './charts';
import type { LogEvents } from './events';
import type { LongTable } from '../view/longTable';
import type { Questions } from './questions';
import { roundTable } from './roundTable';
import type { TimelinePanel } from './timelinePanel';
import { capital, factName, factText, meanText, requestKinds, shareText } from './words';

const number = (value: number | null): string => (value === null ? '–' : formatCount(value));

export interface RequestView {
  readonly node: HTMLElement;
  /** The same request as a growing log has it now: the rounds keep their place. */
  readonly grow: (detail: RequestDetail) => void;
}

export function requestView(detail: RequestDetail, questions: Questions, events: LogEvents, timeline: TimelinePanel): RequestView {
  const above = element('div', { class: 'request-above' });
  const rounds = detail.shown === null || detail.shown === 0 ? null : roundTable('a', detail.ordinal, detail.shown, questions, events);
  const node = element('section', { class: 'request', attributes: { 'aria-label': l10n.t('Request {0}', detail.ordinal) } }, above, timeline.node, rounds?.node ?? element('p', { class: 'empty' }, noRounds(detail)));
  const draw = (now: RequestDetail): void => {
    above.replaceChildren(...parts(now, events, rounds?.table ?? null));
    timeline.show({ a: now, b: null, fork: null, reveal: (round) => rounds?.table.reveal(round), title: l10n.t('Request {0}', now.ordinal) });
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
  return kind === 'warm-up' ? l10n.t('This request has no rounds: it warmed the engine up, or nothing was drafted.') : l10n.t('There are no rounds to show: a log of grade {0} does not give them in order.', grade);
}

function parts(detail: RequestDetail, events: LogEvents, rounds: LongTable<RoundRow> | null): HTMLElement[] {
  const stretches = stretchList(detail, rounds);
  return [heading(detail, events), ...incomplete(detail), figures(detail), charts(detail), ...(stretches === null ? [] : [stretches]), ...facts(detail)];
}

function heading(detail: RequestDetail, events: LogEvents): HTMLElement {
  const { ordinal, request, kind, interleaved, grade, line, usable } = detail;
  const tags = [requestKinds[kind], ...(interleaved ? [l10n.t('interleaved')] : []), l10n.t('grade {0}', grade)].map((text) => element('span', { class: 'tag' }, text));
  const reason = usable.replay === 'none' ? l10n.t('Not possible. {0}.', capital(usable.words)) : '';
  const replay = button(l10n.t('Replay…'), () => events.probe('replay', ordinal), 'primary');
  const rewind = button(l10n.t('Rewind audit…'), () => events.probe('rewind', ordinal));
  for (const one of [replay, rewind]) enable(one, reason === '', reason);
  const missing = usable.missing.length === 0 ? '' : ` ${l10n.t('Missing: {0}.', usable.missing.join('; '))}`;
  const name = element('h2', { attributes: { dir: 'auto' } }, l10n.t('Request {0}', ordinal), request !== null && ' · ', request !== null && foreign(request), ...tags);
  return element('div', { class: 'request-heading' }, element('div', {}, name, element('p', { class: 'muted usable' }, foreign(`${capital(usable.words)}.`), missing)), element('div', { class: 'actions' }, replay, rewind, lineAction(events, line)));
}

function lineAction(events: LogEvents, line: number | null): Child {
  return line === null ? null : button(l10n.t('Go to line {0}', formatCount(line)), () => events.goToLine('a', line));
}

function incomplete({ complete, reason }: RequestDetail): HTMLElement[] {
  return complete ? [] : [element('p', { class: 'notice', attributes: { role: 'status' } }, element('strong', {}, l10n.t('Not complete.')), ' ', foreign(`${capital(reason)}.`))];
}

function figures(detail: RequestDetail): HTMLElement {
  const { roundCount, acceptedSum, proposedSum, keptSum, rewinds, zero, partial, full, acceptanceRate, meanLengthWithBonus, promptTokens, generatedTokens, cutInLastRound, firstBonus } = detail;
  const answer = cutInLastRound === null || cutInLastRound === 0 ? l10n.t('tokens of the answer, with the first one') : l10n.t('tokens of the answer, with the first one; {0} of the last round were cut by the budget', cutInLastRound);
  const cells: readonly (readonly [name: string, value: string, hint: string])[] = [
    [l10n.t('rounds'), number(roundCount), l10n.t('verify rounds of the request')],
    [l10n.t('accepted'), number(acceptedSum), l10n.t('accepted drafts, without the bonus tokens')],
    [l10n.t('drafted'), number(proposedSum), l10n.t('drafts that were proposed')],
    [l10n.t('acceptance'), shareText(acceptanceRate), l10n.t('accepted / drafted')],
    [l10n.t('mean length'), meanText(meanLengthWithBonus), l10n.t('with the bonus token: 1 + accepted / rounds')],
    [l10n.t('kept rows'), number(keptSum), l10n.t('accepted + rounds: what stays in the state')],
    [l10n.t('rewinds'), number(rewinds), l10n.t('rounds that rejected at least one draft')],
    [l10n.t('none / some / all'), [zero, partial, full].map(number).join(' / '), l10n.t('rounds that accepted no draft, some, and all of them')],
    [l10n.t('prompt'), number(promptTokens), l10n.t('tokens of the prompt')],
    [l10n.t('generated'), number(generatedTokens), answer],
    [l10n.t('first bonus'), firstBonus === null ? '–' : String(firstBonus), l10n.t('id of the first token that the target chooses after the prompt')],
  ];
  return element('dl', { class: 'figures' }, ...cells.map(([name, value, hint]) => element('div', { attributes: { title: value === '–' ? l10n.t('{0}: the log does not say', hint) : hint } }, element('dt', {}, name), element('dd', {}, value))));
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
  const title = all === 0 ? l10n.t('Flagged stretches: none') : l10n.t('Flagged stretches: {0} of 0 %, {1} of about 100 %', amount(flagged.none, l10n.t('{0} stretch'), l10n.t('{0} stretches')), formatCount(flagged['nearly all']));
  return element('div', { class: 'stretches' }, element('h3', {}, title), element('p', { attributes: { translate: 'no' } }, muted(stretchDefinition)), items.length > 0 && element('ul', {}, ...items, more > 0 && element('li', {}, muted(l10n.t('and {0} more', formatCount(more))))));
}

function stretchItem({ kind, from, to, accepted, drafted }: Stretch, rounds: LongTable<RoundRow> | null): HTMLElement {
  const counts = `: ${l10n.t('{0} of {1} drafts accepted', formatCount(accepted), formatCount(drafted))}`;
  const go = element('button', { class: 'plain line' }, l10n.t('rounds {0} to {1}', formatCount(from), formatCount(to)));
  go.addEventListener('click', () => rounds?.reveal(from));
  return element('li', { class: kind === 'none' ? 'stretch-none' : 'stretch-all' }, element('strong', {}, stretchWords[kind]), ' ', go, muted(counts));
}

function facts({ facts: given, flags }: RequestDetail): HTMLElement[] {
  const entries = [...Object.entries(given).map(([name, fact]) => [factName(name), factText(fact)] as const), ...(flags.length === 0 ? [] : [[l10n.t('flags'), flags.join(', ')] as const])];
  if (entries.length === 0) return [];
  return [element('details', { class: 'ids' }, element('summary', {}, amount(entries.length, l10n.t('{0} more fact of the log'), l10n.t('{0} more facts of the log'))), element('dl', { class: 'pairs', attributes: { translate: 'no' } }, ...entries.flatMap(([name, text]) => [element('dt', {}, name), element('dd', { attributes: { dir: 'auto' } }, text)])))];
}

