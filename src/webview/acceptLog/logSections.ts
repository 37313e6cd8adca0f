// What stands below the requests: findings with their lines, sums over requests, verdicts of the engine, facts of the log.
import type { Decline, Finding, ProbeVerdict } from '../../shared/capture';
import { formatCount, plural } from '../../shared/format';
import type { IntervalRow, LogState, RowList } from '../../shared/logReaderProtocol';
import { element, muted, whenChanged, type Part } from '../view/dom';
import { countText } from './countText';
import type { LogEvents } from './events';
import { lineButton } from './lineButton';
import { LongTable, type LongColumn } from '../view/longTable';
import type { Questions } from './questions';
import { capital, factName, factText, meanText, shareText } from './words';

interface ListSection<Row> {
  readonly list: RowList;
  readonly title: string;
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
function listSection<Row>({ list, title, count, summary, fetch, columns, open, lineOf, rowClass, full }: ListSection<Row>, events: LogEvents): Part<LogState> {
  const note = muted('');
  const whole = element('p', { class: 'full-row', attributes: { 'aria-live': 'polite', dir: 'auto' } });
  const show = (row: Row | undefined): void => {
    if (row !== undefined && full !== undefined) whole.textContent = full(row);
  };
  const fetchAndShow = async (from: number, to: number): Promise<readonly Row[]> => {
    const rows = await fetch(from, to);
    if (whole.textContent === '') show(rows[0]);
    return rows;
  };
  const long = new LongTable<Row>({ name: list, caption: `${title}: Enter goes to the line`, columns, fetch: fetchAndShow, failed: events.failed, ...(rowClass === undefined ? {} : { rowClass }), chosen: (_, row) => show(row), entered: (row) => goTo(events, lineOf(row)) });
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
const text = (value: string): HTMLElement => element('span', { class: 'clipped', attributes: { title: value, dir: 'auto' } }, value);

const findingColumns = (events: LogEvents): LongColumn<Finding>[] => [
  { title: 'Line', width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
  { title: '', width: 'col-kind', cell: ({ severity }) => element('span', { class: `severity severity-${severity}` }, severity === 'violation' ? '✗ fault' : 'note') },
  { title: 'Identity', width: 'col-medium', heads: true, cell: ({ identity }) => text(identity) },
  { title: 'What does not hold', width: 'col-wide', cell: ({ sentence }) => text(sentence) },
  { title: 'The line', width: 'col-wide', cell: ({ quote }) => element('code', { class: 'clipped', attributes: { title: quote, dir: 'ltr' } }, quote) },
];

const intervalColumns = (events: LogEvents): LongColumn<IntervalRow>[] => [
  { title: '#', width: 'col-number', number: true, cell: ({ ordinal }) => formatCount(ordinal) },
  { title: 'Scope', width: 'col-wide', heads: true, cell: ({ scope }) => text(scope) },
  { title: 'Rounds', width: 'col-count', number: true, cell: ({ roundCount }) => countText(roundCount) },
  { title: 'Accepted', width: 'col-count', number: true, cell: ({ acceptedSum }) => countText(acceptedSum) },
  { title: 'Drafted', width: 'col-count', number: true, cell: ({ proposedSum }) => countText(proposedSum) },
  { title: 'Acceptance', width: 'col-count', number: true, cell: ({ acceptanceRate }) => shareText(acceptanceRate) },
  { title: 'Mean length', hint: 'With the bonus token', width: 'col-count', number: true, cell: ({ meanLengthWithBonus }) => meanText(meanLengthWithBonus) },
  { title: 'By position', hint: 'Share of rounds whose draft at this position survived', width: 'col-medium', cell: ({ perPosition }) => (perPosition === null ? muted('–') : text(perPosition.map((share) => share.toFixed(3)).join(', '))) },
  { title: 'Grade', width: 'col-grade', cell: ({ grade }) => grade },
  { title: 'Line', width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
];

const declineColumns = (events: LogEvents): LongColumn<Decline>[] => [
  { title: 'Line', width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
  { title: 'Request', width: 'col-medium', heads: true, cell: ({ request }) => text(request ?? '–') },
  { title: 'By', width: 'col-medium', cell: ({ by, measured }) => text(`${by}${measured ? ', measured' : ''}`) },
  { title: 'Reason', width: 'col-wide', cell: ({ reason }) => text(reason) },
];

const probeColumns = (events: LogEvents): LongColumn<ProbeVerdict>[] => [
  { title: 'Line', width: 'col-count', number: true, cell: ({ line }) => lineButton(events, 'a', line) },
  { title: 'Probe', width: 'col-medium', heads: true, cell: ({ passed }) => (passed ? 'passed on its prompt' : 'did not pass') },
  { title: 'Width', width: 'col-count', number: true, cell: ({ blockSize }) => countText(blockSize) },
  { title: 'What it said', width: 'col-wide', cell: ({ reason }) => text(reason) },
];

export function logSections(questions: Questions, events: LogEvents): Part<LogState> {
  const line = ({ line: at }: { readonly line: number | null }): number | null => at;
  const parts: readonly Part<LogState>[] = [
    listSection<Finding>({ list: 'findings', title: 'Round algebra', open: true, count: ({ counts }) => counts.findings, summary: algebra, fetch: (from, to) => questions.rows('a', 'findings', from, to), columns: findingColumns(events), lineOf: line, rowClass: ({ severity }) => severity, full: ({ line: at, sentence, quote }) => `${at === null ? '' : `Line ${formatCount(at)}: `}${sentence}.\n${quote}` }, events),
    listSection<IntervalRow>({ list: 'intervals', title: 'Sums over requests', open: true, count: ({ counts }) => counts.intervals, summary: ({ counts }) => `${plural(counts.intervals, 'row')}: of an interval, or since the start; not of one request`, fetch: (from, to) => questions.rows('a', 'intervals', from, to), columns: intervalColumns(events), lineOf: line }, events),
    listSection<Decline>({ list: 'declined', title: 'Declined', open: true, count: ({ counts }) => counts.declined, summary: ({ counts }) => `speculation was refused ${plural(counts.declined, 'time')}`, fetch: (from, to) => questions.rows('a', 'declined', from, to), columns: declineColumns(events), lineOf: line, full: ({ reason }) => capital(`${reason}.`) }, events),
    listSection<ProbeVerdict>({ list: 'probes', title: "The engine's exactness probe", open: true, count: ({ counts }) => counts.probes, summary: () => 'a pass holds for its own prompt alone', fetch: (from, to) => questions.rows('a', 'probes', from, to), columns: probeColumns(events), lineOf: line, full: ({ quote }) => quote }, events),
    factsSection(),
  ];
  const sound = element('p', { class: 'sound muted' });
  return {
    node: element('div', { class: 'sections' }, sound, ...parts.map(({ node }) => node)),
    update(state) {
      const { counts, phase } = state;
      sound.hidden = counts.findings > 0 || counts.requests + counts.intervals === 0;
      sound.textContent = `Round algebra: every identity that this log allows holds${phase === 'reading' ? ' so far' : ''}.`;
      for (const part of parts) part.update(state);
    },
  };
}

function algebra({ counts: { findings, violations } }: LogState): string {
  const notes = findings - violations;
  return `${violations === 0 ? 'no identity is violated' : `${plural(violations, 'identity is', 'identities are')} violated`}${notes === 0 ? '' : `, ${plural(notes, 'note')}`}`;
}

function factsSection(): Part<LogState> {
  const list = element('dl', { class: 'pairs' });
  const node = element('details', { class: 'section section-facts' }, element('summary', {}, element('h2', {}, 'Formats and facts of the log')), element('div', { class: 'section-body' }, list));
  return {
    node,
    update: whenChanged(
      ({ formats, facts }) => [JSON.stringify(formats), JSON.stringify(facts)],
      ({ formats, facts }) => {
        const rows = [
          ...formats.map(({ engine, title, grade, firstLine }) => [engine, `${title}${grade === null ? '' : `, grade ${grade}`}${firstLine === null ? '' : `, first in line ${formatCount(firstLine)}`}`] as const),
          ...Object.entries(facts).map(([name, fact]) => [factName(name), factText(fact)] as const),
        ];
        node.hidden = rows.length === 0;
        list.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', { attributes: { dir: 'auto' } }, value)]));
      },
    ),
  };
}
