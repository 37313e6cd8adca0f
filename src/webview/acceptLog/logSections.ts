// What stands below the requests: findings with their lines, sums over requests, verdicts of the engine, facts of the log.
import * as l10n from '@vscode/l10n';
import type { Decline, Finding, ProbeVerdict } from '../../shared/capture';
import { formatCount } from '../../shared/format';
import type { IntervalRow, LogState, RowList } from '../../shared/logReaderProtocol';
import { amount } from '../model/amount';
import { element, foreign, muted, whenChanged, type Part } from '../view/dom';
import { countText } from './countText';
import type { LogEvents } from './events';
import { lineButton } from './lineButton';
import { LongTable, type LongColumn } from '../view/longTable';
import type { Questions } from './questions';
import { capital, factName, factText, meanText, shareText } from './words';

interface ListSection<Row> {
  readonly list: RowList;
  readonly title: string;
  readonly caption: string;
  readonly count: (state: LogState) => number;
  readonly summary: (state: LogState) => string;
  readonly fetch: (from: number, to: number) => Promise<readonly Row[]>;
  readonly columns: readonly LongColumn<Row>[];
  readonly open: boolean;
  readonly lineOf: (row: Row) => number | null;
  readonly rowClass?: (row: Row) => string;
  /** The chosen row in full: a cell shows what fits. */
  readonly full?: (row: Row) => string;
}

/** A foldable long table that is there as soon as it has rows. */
function listSection<Row>({ list, title, caption, count, summary, fetch, columns, open, lineOf, rowClass, full }: ListSection<Row>, events: LogEvents): Part<LogState> {
  const note = muted('');
  const whole = element('p', { class: 'full-row', attributes: { 'aria-live': 'polite', dir: 'auto', translate: 'no' } });
  const show = (row: Row | undefined): void => {
    if (row !== undefined && full !== undefined) whole.textContent = full(row);
  };
  const fetchAndShow = async (from: number, to: number): Promise<readonly Row[]> => {
    const rows = await fetch(from, to);
    if (whole.textContent === '') show(rows[0]);
    return rows;
  };
  const long = new LongTable<Row>({ name: list, caption, columns, fetch: fetchAndShow, failed: events.failed, ...(rowClass === undefined ? {} : { rowClass }), chosen: (_, row) => show(row), entered: (row) => goTo(events, lineOf(row)) });
  const node = element('details', { class: `section section-${list}` }, element('summary', {}, element('h2', {}, title), note), element('div', { class: 'section-body' }, long.node, full !== undefined && whole));
  node.open = open;
  return {
    node,
    update: whenChanged(
      (state) => [state],
      (state) => {
        node.hidden = count(state) === 0;
        note.textContent = summary(state);
        long.show(count(state), true);
      },
    ),
  };
}

const goTo = (events: LogEvents, line: number | null): void => (line === null ? undefined : events.goToLine('a', line));
const text = (value: string): HTMLElement => element('span', { class: 'clipped', attributes: { title: value, dir: 'auto', translate: 'no' } }, value);

const findingColumns = (events: LogEvents): LongColumn<Finding>[] => [
  { title: l10n.t('Line'), width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
  { title: '', width: 'col-kind', cell: ({ severity }) => element('span', { class: `severity severity-${severity}` }, severity === 'violation' ? l10n.t('✗ fault') : l10n.t('note')) },
  { title: l10n.t('Identity'), width: 'col-medium', heads: true, cell: ({ identity }) => text(identity) },
  { title: l10n.t('What does not hold'), width: 'col-wide', cell: ({ sentence }) => text(sentence) },
  { title: l10n.t('The line'), width: 'col-wide', cell: ({ quote }) => element('code', { class: 'clipped', attributes: { title: quote, dir: 'ltr' } }, quote) },
];

const intervalColumns = (events: LogEvents): LongColumn<IntervalRow>[] => [
  { title: '#', width: 'col-number', number: true, cell: ({ ordinal }) => formatCount(ordinal) },
  { title: l10n.t('Scope'), width: 'col-wide', heads: true, cell: ({ scope }) => text(scope) },
  { title: l10n.t('Rounds'), width: 'col-count', number: true, cell: ({ roundCount }) => countText(roundCount) },
  { title: l10n.t('Accepted'), width: 'col-count', number: true, cell: ({ acceptedSum }) => countText(acceptedSum) },
  { title: l10n.t('Drafted'), width: 'col-count', number: true, cell: ({ proposedSum }) => countText(proposedSum) },
  { title: l10n.t('Acceptance'), width: 'col-count', number: true, cell: ({ acceptanceRate }) => shareText(acceptanceRate) },
  { title: l10n.t('Mean length'), hint: l10n.t('With the bonus token'), width: 'col-count', number: true, cell: ({ meanLengthWithBonus }) => meanText(meanLengthWithBonus) },
  { title: l10n.t('By position'), hint: l10n.t('Share of rounds whose draft at this position survived'), width: 'col-medium', cell: ({ perPosition }) => (perPosition === null ? muted('–') : text(perPosition.map((share) => share.toFixed(3)).join(', '))) },
  { title: l10n.t('Grade'), width: 'col-grade', cell: ({ grade }) => grade },
  { title: l10n.t('Line'), width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
];

const declineColumns = (events: LogEvents): LongColumn<Decline>[] => [
  { title: l10n.t('Line'), width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
  { title: l10n.t('Request'), width: 'col-medium', heads: true, cell: ({ request }) => text(request ?? '–') },
  { title: l10n.t('By'), width: 'col-medium', cell: ({ by, measured }) => (measured ? text(l10n.t('{0}, measured', by)) : text(by)) },
  { title: l10n.t('Reason'), width: 'col-wide', cell: ({ reason }) => text(reason) },
];

const probeColumns = (events: LogEvents): LongColumn<ProbeVerdict>[] => [
  { title: l10n.t('Line'), width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
  { title: l10n.t('Probe'), width: 'col-medium', heads: true, cell: ({ passed }) => (passed ? l10n.t('passed on its prompt') : l10n.t('did not pass')) },
  { title: l10n.t('Width'), width: 'col-count', number: true, cell: ({ blockSize }) => countText(blockSize) },
  { title: l10n.t('What it said'), width: 'col-wide', cell: ({ reason }) => text(reason) },
];

export function logSections(questions: Questions, events: LogEvents): Part<LogState> {
  const line = ({ line: at }: { readonly line: number | null }): number | null => at;
  const parts: readonly Part<LogState>[] = [
    listSection<Finding>({ list: 'findings', title: l10n.t('Round algebra'), caption: l10n.t('Round algebra: Enter goes to the line'), open: true, count: ({ counts }) => counts.findings, summary: algebra, fetch: (from, to) => questions.rows('a', 'findings', from, to), columns: findingColumns(events), lineOf: line, rowClass: ({ severity }) => severity, full: ({ line: at, sentence, quote }) => `${at === null ? '' : `${l10n.t('Line {0}:', formatCount(at))} `}${sentence}.\n${quote}` }, events),
    listSection<IntervalRow>({ list: 'intervals', title: l10n.t('Sums over requests'), caption: l10n.t('Sums over requests: Enter goes to the line'), open: true, count: ({ counts }) => counts.intervals, summary: ({ counts }) => amount(counts.intervals, l10n.t('{0} row: of an interval, or since the start; not of one request'), l10n.t('{0} rows: of an interval, or since the start; not of one request')), fetch: (from, to) => questions.rows('a', 'intervals', from, to), columns: intervalColumns(events), lineOf: line }, events),
    listSection<Decline>({ list: 'declined', title: l10n.t('Declined'), caption: l10n.t('Declined: Enter goes to the line'), open: true, count: ({ counts }) => counts.declined, summary: ({ counts }) => amount(counts.declined, l10n.t('speculation was refused {0} time'), l10n.t('speculation was refused {0} times')), fetch: (from, to) => questions.rows('a', 'declined', from, to), columns: declineColumns(events), lineOf: line, full: ({ reason }) => capital(`${reason}.`) }, events),
    listSection<ProbeVerdict>({ list: 'probes', title: l10n.t("The engine's exactness probe"), caption: l10n.t("The engine's exactness probe: Enter goes to the line"), open: true, count: ({ counts }) => counts.probes, summary: () => l10n.t('a pass holds for its own prompt alone'), fetch: (from, to) => questions.rows('a', 'probes', from, to), columns: probeColumns(events), lineOf: line, full: ({ quote }) => quote }, events),
    factsSection(),
  ];
  const sound = element('p', { class: 'sound muted' });
  return {
    node: element('div', { class: 'sections' }, sound, ...parts.map(({ node }) => node)),
    update(state) {
      const { counts, phase } = state;
      sound.hidden = counts.findings > 0 || counts.requests + counts.intervals === 0;
      sound.textContent = phase === 'reading' ? l10n.t('Round algebra: every identity that this log allows holds so far.') : l10n.t('Round algebra: every identity that this log allows holds.');
      for (const part of parts) part.update(state);
    },
  };
}

function algebra({ counts: { findings, violations } }: LogState): string {
  const notes = findings - violations;
  const violated = violations === 0 ? l10n.t('no identity is violated') : amount(violations, l10n.t('{0} identity is violated'), l10n.t('{0} identities are violated'));
  return notes === 0 ? violated : `${violated}, ${amount(notes, l10n.t('{0} note'), l10n.t('{0} notes'))}`;
}

function factsSection(): Part<LogState> {
  const list = element('dl', { class: 'pairs' });
  const node = element('details', { class: 'section section-facts' }, element('summary', {}, element('h2', {}, l10n.t('Formats and facts of the log'))), element('div', { class: 'section-body' }, list));
  return {
    node,
    update: whenChanged(
      ({ formats, facts }) => [JSON.stringify(formats), JSON.stringify(facts)],
      ({ formats, facts }) => {
        const rows = [
          ...formats.map(({ engine, title, grade, firstLine }) => [engine, [foreign(title), grade === null ? '' : `, ${l10n.t('grade {0}', grade)}`, firstLine === null ? '' : `, ${l10n.t('first in line {0}', formatCount(firstLine))}`]] as const),
          ...Object.entries(facts).map(([name, fact]) => [factName(name), [foreign(factText(fact))]] as const),
        ];
        node.hidden = rows.length === 0;
        list.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', { attributes: { translate: 'no' } }, name), element('dd', { attributes: { dir: 'auto' } }, ...value)]));
      },
    ),
  };
}
