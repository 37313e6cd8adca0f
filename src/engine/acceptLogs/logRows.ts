// A capture as the rows and summaries that a view asks for. A log has half a million rounds; no more is made than what is looked at.
import { shapeOf, timelineOf } from '../../shared/acceptShape';
import { stretchAt, stretchesOf, type Stretch, type StretchKind } from '../../shared/acceptStretches';
import { usable, type Capture, type CapturedInterval, type CapturedRequest, type CapturedRound, type Finding } from '../../shared/capture';
import { mostBins, mostIds, mostStretches } from '../../shared/logLimits';
import type { IntervalRow, LogCounts, RequestDetail, RequestRow, RoundRow, RowsOf, RowsQuestion } from '../../shared/logReaderProtocol';
import { badInput } from '../problem';

/** A request is looked at many times, and its rounds are walked once. */
const known = new WeakMap<CapturedRequest, Stretch[] | null>();

function stretchesIn(request: CapturedRequest): readonly Stretch[] | null {
  const old = known.get(request);
  if (old !== undefined) return old;
  const found = stretchesOf(request);
  known.set(request, found);
  return found;
}

const countOf = (stretches: readonly Stretch[] | null, kind: StretchKind): number => stretches?.filter((stretch) => stretch.kind === kind).length ?? 0;

function figuresOf({ ordinal, grade, line, roundCount, acceptedSum, proposedSum, acceptanceRate, meanLengthWithBonus }: CapturedRequest | CapturedInterval): Omit<IntervalRow, 'scope' | 'perPosition'> {
  return { ordinal, grade, line, roundCount, acceptedSum, proposedSum, acceptanceRate, meanLengthWithBonus };
}

function requestRow(request: CapturedRequest): RequestRow {
  const stretches = stretchesIn(request);
  const { request: name, kind, complete } = request;
  return { ...figuresOf(request), request: name, kind, complete, flagged: { none: countOf(stretches, 'none'), 'nearly all': countOf(stretches, 'nearly all') } };
}

export function requestDetail(request: CapturedRequest): RequestDetail {
  const { format, reason, interleaved, keptSum, rewinds, zero, partial, full, promptTokens, generatedTokens, cutInLastRound, firstBonus, flags, facts, rounds } = request;
  return {
    ...requestRow(request),
    ...{ format, reason, interleaved, keptSum, rewinds, zero, partial, full, promptTokens, generatedTokens, cutInLastRound, firstBonus, flags, facts },
    shape: shapeOf(request),
    timeline: timelineOf(request, mostBins),
    usable: usable(request),
    shown: rounds?.length ?? null,
    stretches: stretchesIn(request)?.slice(0, mostStretches) ?? null,
  };
}

const some = (ids: readonly number[] | null): readonly number[] | null => ids?.slice(0, mostIds) ?? null;

function roundRow(request: CapturedRequest, round: CapturedRound, place: number): RoundRow {
  const { drafts, targets, emitted, width } = round;
  const drafted = request.drafted?.[place] ?? drafts?.length ?? (width === null ? null : width - 1);
  return { ...round, drafts: some(drafts), targets: some(targets), emitted: some(emitted), drafted, stretch: stretchAt(stretchesIn(request) ?? [], place)?.kind ?? null };
}

export function requestAt({ requests, source }: Capture, ordinal: number): CapturedRequest {
  const request = requests[ordinal];
  if (request === undefined) throw badInput(`There is no request ${ordinal} in this log`, source, requests.length === 0 ? 'It holds no requests' : `Give a number from 0 to ${requests.length - 1}`);
  return request;
}

/** Entries of lists may quote what a log says, and a view has no use for a megabyte of it. */
const mostText = 2000;
const short = (text: string): string => (text.length > mostText ? `${text.slice(0, mostText)}…` : text);

export function rowsOf(capture: Capture, { list, request, from, to }: RowsQuestion): RowsOf[typeof list] {
  switch (list) {
    case 'requests':
      return capture.requests.slice(from, to).map(requestRow);
    case 'rounds': {
      const chosen = requestAt(capture, request ?? 0);
      return chosen.rounds?.slice(from, to).map((round, i) => roundRow(chosen, round, from + i)) ?? [];
    }
    case 'intervals':
      return capture.intervals.slice(from, to).map((interval): IntervalRow => ({ ...figuresOf(interval), scope: short(interval.scope), perPosition: interval.perPosition?.slice(0, mostIds) ?? null }));
    case 'findings':
      return capture.findings.slice(from, to).map((finding): Finding => ({ ...finding, sentence: short(finding.sentence) }));
    case 'declined':
      return capture.declined.slice(from, to).map((decline) => ({ ...decline, reason: short(decline.reason) }));
    case 'probes':
      return capture.probes.slice(from, to).map((probe) => ({ ...probe, reason: short(probe.reason) }));
  }
}

export function countsOf({ requests, intervals, findings, declined, probes }: Capture): LogCounts {
  let rounds = 0;
  for (const { roundCount } of requests) rounds += roundCount ?? 0;
  const violations = findings.filter(({ severity }) => severity === 'violation').length;
  return { requests: requests.length, rounds, intervals: intervals.length, findings: findings.length, violations, declined: declined.length, probes: probes.length };
}
