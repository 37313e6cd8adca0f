// The accept sequence of a replay: a list of kept rows, or one burst of a log.
import path from 'node:path';
import { requestNamed, type CapturedRequest, type CapturedRound, type Capture } from '../../../shared/capture';
import { limits, type ReplayExperiment, type RewindExperiment } from '../../../shared/experiment';
import { formatCount, formatList, plural } from '../../../shared/format';
import type { LogFacts } from '../../../shared/results/replay';
import { sum } from '../../../shared/sum';
import { importCapture } from '../../acceptLogs/importCapture';
import { badInput } from '../../problem';
import type { ProbeCall } from '../probe';

export interface Accepted {
  readonly kept: readonly number[];
  /** Block rows of every round, null: the experiment's width in all of them. */
  readonly widths: readonly number[] | null;
  readonly keptSum: number;
  readonly drafts: readonly (readonly number[])[] | null;
  readonly log: LogFacts | null;
  readonly promptIds: readonly number[] | null;
  readonly promptTokens: number | null;
  /** What the log says of the run itself, by name. */
  readonly facts: Capture['facts'];
  /** First bonus and everything emitted after it. */
  readonly reference: readonly number[] | null;
  /** For messages. */
  readonly place: string;
}

/** Throws a Problem for a log that a replay cannot use, with what its grade allows. */
export async function acceptsOf(experiment: ReplayExperiment | RewindExperiment, call: ProbeCall): Promise<Accepted> {
  const { accepts } = experiment;
  if (accepts.type === 'kept') {
    return { kept: accepts.kept, widths: null, keptSum: sum(accepts.kept), drafts: null, log: null, promptIds: null, promptTokens: null, facts: {}, reference: null, place: 'accept list' };
  }
  const { file } = accepts;
  const capture = await importCapture(file, { signal: call.signal, onProgress: (progress) => call.onProgress?.({ ...progress, text: `reading ${path.basename(file)}` }) });
  const request = chosen(capture, accepts.request, file);
  const rounds = roundsOf(request, file);
  const widths = rounds.map(({ width }) => width ?? experiment.width);
  checkRounds(rounds, widths, file);
  if (request.promptIds?.length === 0) throw badInput(`Burst ${request.ordinal} of this log has an empty prompt`, file, 'Choose another burst, or give the prompt (--prompt or --ids)');
  const reference = referenceOf(request);
  if (reference === null && experiment.reference === null && experiment.prompt.type === 'default' && request.promptIds === null) throw needsTranscript(request, file);
  const kept = rounds.map(({ accepted }) => accepted + 1);
  return {
    kept,
    widths,
    keptSum: sum(kept),
    drafts: draftsOf(rounds),
    log: factsOf(capture, request, widths, file),
    promptIds: request.promptIds,
    promptTokens: request.promptTokens,
    facts: capture.facts,
    reference,
    place: file,
  };
}

const hasRounds = ({ rounds }: CapturedRequest): boolean => rounds !== null && rounds.length > 0;

/** The burst that was asked for; without a number the only one, or the one with most rounds. */
function chosen({ requests }: Capture, which: string | null, file: string): CapturedRequest {
  const usable = requests.filter(hasRounds);
  const one = which === null ? [...usable].sort((a, b) => (b.rounds?.length ?? 0) - (a.rounds?.length ?? 0))[0] : requestNamed(requests, which);
  if (one !== undefined) return one;
  if (which !== null) throw badInput(`The log has ${plural(requests.length, 'burst')}, none of them is ${which}`, file, requests.length === 0 ? 'Choose another log' : `Use 0 to ${requests.length - 1}; moire logs lists them`);
  const grades = [...new Set(requests.map(({ grade }) => grade))];
  throw badInput(
    `This log holds no accepted count of every round${grades.length === 0 ? '' : ` (grade ${formatList(grades)})`}, so there is no sequence to replay`,
    file,
    'Grade A (ids and counts of every round) and B (counts of every round) can be replayed; moire logs says how each engine writes them',
  );
}

function roundsOf({ rounds, ordinal, grade }: CapturedRequest, file: string): readonly CapturedRound[] {
  if (rounds !== null && rounds.length > 0) return rounds;
  throw badInput(`Burst ${ordinal} of this log has no rounds in order (grade ${grade})`, file, 'Choose another burst; moire logs lists them');
}

function checkRounds(rounds: readonly CapturedRound[], widths: readonly number[], file: string): void {
  const wide = widths.findIndex((width) => width > limits.width);
  if (wide >= 0) throw badInput(`Round ${rounds[wide]?.index ?? wide} has ${formatCount(widths[wide] ?? 0)} rows, at most ${limits.width} are run`, file, 'Choose another burst, or a log of a narrower run');
  const at = rounds.findIndex(({ accepted }, i) => accepted > (widths[i] ?? 0) - 1);
  const round = rounds[at];
  if (round === undefined) return;
  const line = round.line === null ? '' : `line ${formatCount(round.line)}: `;
  throw badInput(
    `${line}round ${round.index} accepted ${round.accepted} drafts, a block of ${widths[at] ?? 0} has ${(widths[at] ?? 0) - 1}`,
    file,
    'Use the width that the log was written at; values with the bonus included are one more than accepted drafts',
  );
}

/** Every id that was fed and kept, null where the log has none. A budget cuts what the last round emits, not the rows that it keeps. */
function referenceOf({ firstBonus, emittedIds, rounds }: CapturedRequest): readonly number[] | null {
  if (firstBonus === null || emittedIds === null) return null;
  const last = rounds?.at(-1);
  const cut = last?.drafts?.slice(last.emitted?.length ?? last.accepted, last.accepted) ?? [];
  return [firstBonus, ...emittedIds, ...cut];
}

function draftsOf(rounds: readonly CapturedRound[]): (readonly number[])[] | null {
  const drafts = rounds.flatMap((round) => (round.drafts === null ? [] : [round.drafts]));
  return drafts.length === rounds.length ? drafts : null;
}

function needsTranscript({ grade, ordinal }: CapturedRequest, file: string): Error {
  return badInput(
    `Burst ${ordinal} of this log has counts but no token ids (grade ${grade}): which tokens were accepted is not in it`,
    file,
    'Give the prompt of the request (--prompt or --ids; the model then writes its own greedy transcript), or the transcript itself (--reference). Rejected rows are filled with wrong ids',
  );
}

/** More of them say nothing new; moire logs prints all. */
const mostFindings = 8;

function sentencesOf(findings: Capture['findings']): string[] {
  const violations = findings.filter(({ severity }) => severity === 'violation');
  const sentences = violations.slice(0, mostFindings).map(({ sentence, line }) => `${line === null ? '' : `Line ${formatCount(line)}: `}${sentence.replace(/[.!]?$/, '.')}`);
  return violations.length > mostFindings ? [...sentences, `And ${plural(violations.length - mostFindings, 'more violation')}.`] : sentences;
}

function factsOf({ engine, findings, facts }: Capture, request: CapturedRequest, widths: readonly number[], file: string): LogFacts {
  const accepted = (request.rounds ?? []).map((round) => round.accepted);
  return {
    file,
    engine,
    request: request.ordinal,
    name: request.request ?? '',
    grade: request.grade,
    rounds: accepted.length,
    rewinds: request.rewinds ?? accepted.filter((count, i) => count < (widths[i] ?? 0) - 1).length,
    keptSum: sum(accepted) + accepted.length,
    accepted: sum(accepted),
    findings: sentencesOf(findings),
    notes: [],
    prefill: typeof facts['prefill'] === 'string' ? facts['prefill'] : '',
  };
}
