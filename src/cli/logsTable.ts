// A capture in a terminal: what it is, its bursts and intervals, declines, probe verdicts, round algebra, warnings.
import { firstViolation, gradeWords, usable, type Capture, type CapturedInterval, type CapturedRequest, type Counts, type Fact, type Finding } from '../shared/capture';
import { formatBytes, formatCount, formatFloat, formatTable, plural } from '../shared/format';
import { styled } from './terminal';

/** More rows than these say less, not more; --json has them all. */
const mostRows = 60;

const number = (value: number | null, digits = 0): string => (value === null ? '-' : digits === 0 ? formatCount(value) : value.toFixed(digits));
const buckets = ({ zero, partial, full }: Counts): string => [zero, partial, full].map((value) => (value === null ? '?' : String(value))).join('/');
const bucketsOf = (counts: Counts): string => (counts.zero === null && counts.full === null ? '-' : buckets(counts));

function figures(counts: Counts): string[] {
  const { roundCount, acceptedSum, proposedSum, keptSum, rewinds, acceptanceRate, meanLengthWithBonus } = counts;
  return [number(roundCount), number(acceptedSum), number(proposedSum), number(keptSum), number(rewinds), bucketsOf(counts), number(acceptanceRate, 3), number(meanLengthWithBonus, 2)];
}

const figureHeads = ['rounds', 'accepted', 'drafted', 'kept', 'rewinds', 'zero/partial/full', 'rate', 'mean length with bonus'];

function table(head: readonly string[], rows: readonly (readonly string[])[], right: ReadonlySet<number>): string[] {
  const [first = '', ...rest] = formatTable([head, ...rows.slice(0, mostRows)], right);
  const more = rows.length > mostRows ? [styled('dim', `  … ${formatCount(rows.length - mostRows)} more; --json has them all`)] : [];
  return [styled('dim', `  ${first}`), ...rest.map((line) => `  ${line}`), ...more];
}

function requestRow(request: CapturedRequest): string[] {
  const kind = `${request.kind}${request.interleaved ? ', interleaved' : ''}`;
  return [String(request.ordinal), request.request ?? '-', kind, request.grade, ...figures(request), number(request.promptTokens), number(request.generatedTokens)];
}

function requestTable(requests: readonly CapturedRequest[]): string[] {
  if (requests.length === 0) return [];
  const head = ['#', 'request', 'kind', 'grade', ...figureHeads, 'prompt', 'generated'];
  const incomplete = requests.filter(({ reason }) => reason !== '').slice(0, mostRows);
  return ['', styled('bold', 'bursts'), ...table(head, requests.map(requestRow), new Set([0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])), ...incomplete.map(({ ordinal, reason }) => `  ${ordinal} is not complete: ${reason}`)];
}

function intervalTable(intervals: readonly CapturedInterval[]): string[] {
  if (intervals.length === 0) return [];
  const rows = intervals.map((interval) => [String(interval.ordinal), interval.line === null ? '-' : String(interval.line), interval.scope, interval.grade, ...figures(interval)]);
  return ['', styled('bold', 'sums over requests'), ...table(['#', 'line', 'scope', 'grade', ...figureHeads], rows, new Set([0, 1, 4, 5, 6, 7, 8, 9, 10, 11]))];
}

const listText = (values: readonly number[] | null): string => (values === null ? 'not in the log' : values.join(','));

/** "3 in every round", where it is one number. */
function draftedText(drafted: readonly number[]): string {
  const [first] = drafted;
  return drafted.length > 1 && drafted.every((drafts) => drafts === first) ? `${first ?? 0} in every round` : listText(drafted);
}

/** As lists that can be pasted: accepted drafts, and the kept rows that a replay takes. */
function chosenLines(request: CapturedRequest): string[] {
  const { words, missing } = usable(request);
  const rows = [
    ['accepted', listText(request.accepted)],
    ['kept rows', listText(request.keptRows)],
    ...(request.drafted === null ? [] : [['drafted', draftedText(request.drafted)]]),
    ...(request.histogram === null ? [] : [['histogram', listText(request.histogram)]]),
    ...(request.perPosition === null ? [] : [['per position', request.perPosition.map((share) => share.toFixed(3)).join(', ')]]),
    ['first bonus', request.firstBonus === null ? 'not in the log' : String(request.firstBonus)],
    ['replay', [words, ...missing.map((one) => `missing: ${one}`)].join('; ')],
    ...factRows(request.facts),
  ];
  return ['', styled('bold', `request ${request.ordinal}${request.request === null ? '' : ` · ${request.request}`}`), ...formatTable(rows).map((line) => `  ${line}`)];
}

/** "targetSyncMsPerRound" and "draft_ms" as words. A log names its engine more exactly than its format does. */
const factName = (name: string): string => (name === 'engine' ? 'engine build' : name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

function factText(fact: Fact): string {
  if (fact === null) return '-';
  if (typeof fact === 'number') return Number.isInteger(fact) ? String(fact) : formatFloat(fact, 6);
  if (!Array.isArray(fact)) return String(fact);
  const shown = (fact as readonly Fact[]).slice(0, 16).map(factText).join(', ');
  return `[${shown}${fact.length > 16 ? `, … ${fact.length} in all` : ''}]`;
}

const bonusWords = (bonus: Capture['semantics']['bonusIncluded']): string => (bonus === null ? '' : bonus === 'by name' ? ', bonus by the name' : bonus ? ', bonus included' : ', bonus not included');

const factRows = (facts: Capture['facts']): [string, string][] => Object.entries(facts).filter(([, fact]) => !Array.isArray(fact) || fact.length > 0).map(([name, fact]) => [factName(name), factText(fact)]);

/** The best that a replay can use. */
function replayText({ requests }: Capture): string {
  const order = ['byte-exact', 'wrong-id fill', 'none'] as const;
  const [best] = requests.map(usable).sort((a, b) => order.indexOf(a.replay) - order.indexOf(b.replay));
  if (best === undefined) return 'no replay: no request is told apart';
  return [best.words, ...best.missing.map((one) => `missing: ${one}`)].join('; ');
}

function headLines(capture: Capture): string[] {
  const { engine, formats, format, grade, semantics, facts, source, bytes } = capture;
  const main = formats.find(({ id }) => id === format);
  const others = formats.filter(({ id }) => id !== format).map(({ id }) => id);
  const rows = [
    ['engine', engine],
    ['format', `${main?.title ?? ''} (${[format, ...others].join(', ')})`],
    ['grade', grade === null ? 'none: no acceptance data' : `${grade}: ${gradeWords[grade]}`],
    ['replay', replayText(capture)],
    ['a value is', `${semantics.value}${bonusWords(semantics.bonusIncluded)}; per ${semantics.scope}; ${semantics.width === null ? 'width not stated' : `width ${semantics.width}`}`],
    ...factRows(facts),
  ];
  return [`${styled('bold', 'Acceptance log')} · ${source} · ${formatBytes(bytes)}`, ...formatTable(rows)];
}

function verdictLines({ probes, declined }: Capture): string[] {
  const probeRows = probes.slice(0, mostRows).map(({ passed, blockSize, reason, line }) => `  ${passed ? 'passed' : 'did not pass'} at block size ${blockSize ?? '?'} (line ${line}): ${reason}`);
  const declineRows = declined.slice(0, mostRows).map(({ request, by, reason, measured, line }) => `  ${request ?? '-'} by ${by}${measured ? ' (measured)' : ''} (line ${line}): ${reason}`);
  return [
    ...(probeRows.length === 0 ? [] : ['', styled('bold', 'exactness probe'), ...probeRows]),
    ...(declineRows.length === 0 ? [] : ['', styled('bold', `declined (${declined.length})`), ...declineRows]),
  ];
}

function findingLines({ identity, sentence, line, quote }: Finding): string[] {
  return [`  ${identity}: ${sentence}${line === null ? '' : ` (line ${line})`}`, styled('dim', `    ${quote}`)];
}

/** "1 request, 36 rounds": what identities were looked at of. */
function checked({ requests, intervals }: Capture): string {
  const rounds = requests.reduce((sum, { roundCount }) => sum + (roundCount ?? 0), 0);
  const parts = [...(requests.length === 0 ? [] : [plural(requests.length, 'request')]), ...(rounds === 0 ? [] : [plural(rounds, 'round')]), ...(intervals.length === 0 ? [] : [plural(intervals.length, 'sum over requests', 'sums over requests')])];
  return parts.join(', ');
}

function algebraLines(capture: Capture): string[] {
  const first = firstViolation(capture);
  if (capture.requests.length + capture.intervals.length === 0 && first === null) return ['', 'round algebra: this log holds no counts to check'];
  const violations = capture.findings.filter(({ severity }) => severity === 'violation');
  const notes = capture.findings.filter(({ severity }) => severity === 'note').slice(0, 10);
  const verdict =
    first === null
      ? [`${styled('green', 'round algebra')}: every identity that this log allows holds, over ${checked(capture)}`]
      : [`${styled('red', 'round algebra')}: ${plural(violations.length, 'identity is', 'identities are')} violated, the first one:`, ...findingLines(first), ...(violations.length > 1 ? [styled('dim', `  and ${violations.length - 1} more; --json has them all`)] : [])];
  return ['', ...verdict, ...notes.flatMap(findingLines)];
}

export function logLines(capture: Capture, chosen: number | null): string[] {
  const request = chosen === null ? undefined : capture.requests[chosen];
  return [
    ...headLines(capture),
    ...requestTable(capture.requests),
    ...intervalTable(capture.intervals),
    ...(request === undefined ? [] : chosenLines(request)),
    ...verdictLines(capture),
    ...algebraLines(capture),
    ...(capture.warnings.length === 0 ? [] : ['', ...capture.warnings.map((warning) => `note: ${warning}`)]),
  ];
}
