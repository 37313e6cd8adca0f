// A normalised capture: what a log of speculative decoding says about its rounds, whichever engine wrote it.

/** A: ids and counts of every round. B: counts of every round, in order. C: histogram, buckets or per-position figures. D: totals or means. */
export type Grade = 'A' | 'B' | 'C' | 'D';

export const gradeWords: Readonly<Record<Grade, string>> = {
  A: 'token ids and counts of every round',
  B: 'counts of every round, in order',
  C: 'histogram, buckets or per-position figures',
  D: 'totals or means only',
};

/** A value that a format gives beside the counts all formats share. */
export type Fact = string | number | boolean | null | readonly Fact[];
export type Facts = Readonly<Record<string, Fact>>;

export interface Semantics {
  /** What one value means, in words. */
  readonly value: string;
  /** Whether one value counts the bonus token; null where there is no such value. */
  readonly bonusIncluded: boolean | 'by name' | null;
  /** "round", "request", "interval, all requests", "cumulative, all requests", ... */
  readonly scope: string;
  /** Rows of a verify block, null where the log does not say. */
  readonly width: number | null;
}

/** Of capture logs that Moire writes. */
export const captureLogExtension = '.moire-capture.jsonl';

/** One verify round. `accepted` counts drafts (0..width-1), kept rows are accepted + 1. */
export interface CapturedRound {
  readonly index: number;
  readonly width: number | null;
  readonly bonus: number | null;
  readonly drafts: readonly number[] | null;
  readonly targets: readonly number[] | null;
  readonly accepted: number;
  /** The new ids of the round; shorter than accepted + 1 where the budget cut the last round. */
  readonly emitted: readonly number[] | null;
  readonly line: number | null;
}

/** Null: the format does not say. */
export interface Counts {
  readonly roundCount: number | null;
  readonly accepted: readonly number[] | null;
  readonly keptRows: readonly number[] | null;
  /** Drafts proposed in each round. */
  readonly drafted: readonly number[] | null;
  /** Position of the first row of each round in the sequence. */
  readonly positions: readonly number[] | null;
  readonly acceptedSum: number | null;
  readonly proposedSum: number | null;
  readonly keptSum: number | null;
  /** Rounds with accepted < width - 1. */
  readonly rewinds: number | null;
  readonly zero: number | null;
  readonly partial: number | null;
  readonly full: number | null;
  /** Entry j: rounds that accepted j drafts. */
  readonly histogram: readonly number[] | null;
  /** Entry k: share of rounds whose draft k survived. */
  readonly perPosition: readonly number[] | null;
  readonly perPositionCounts: readonly number[] | null;
  /** acceptedSum / proposedSum. */
  readonly acceptanceRate: number | null;
  /** 1 + acceptedSum / rounds. */
  readonly meanLengthWithBonus: number | null;
  readonly promptTokens: number | null;
  /** With the first bonus token, where the format counts it. */
  readonly generatedTokens: number | null;
  /** Tokens of the last round beyond the budget: generatedTokens = 1 + keptSum - cutInLastRound. */
  readonly cutInLastRound: number | null;
}

/** One burst: a request from prefill to its last token. */
export interface CapturedRequest extends Counts {
  readonly ordinal: number;
  readonly request: string | null;
  readonly format: string;
  /** "run": a benchmark's own sum over its requests. */
  readonly kind: 'served' | 'warm-up' | 'unfinished' | 'run';
  readonly grade: Grade;
  readonly complete: boolean;
  /** Why it is not complete, "" where it is. */
  readonly reason: string;
  /** Its rounds stand between those of other requests. */
  readonly interleaved: boolean;
  /** Null where the log holds no ordered vector. */
  readonly rounds: readonly CapturedRound[] | null;
  readonly firstBonus: number | null;
  readonly emittedIds: readonly number[] | null;
  readonly promptIds: readonly number[] | null;
  /** "logprobs-all-zero", ... */
  readonly flags: readonly string[];
  readonly facts: Facts;
  readonly line: number | null;
}

/** A sum over all requests: of an interval, or since the start. */
export interface CapturedInterval extends Counts {
  readonly ordinal: number;
  readonly format: string;
  readonly grade: Grade;
  readonly scope: string;
  readonly facts: Facts;
  readonly line: number | null;
}

export interface Decline {
  readonly request: string | null;
  /** "payload", "exactness gate", ... */
  readonly by: string;
  readonly reason: string;
  /** Whether a measurement stands behind it. */
  readonly measured: boolean;
  readonly blockSize: number | null;
  readonly line: number;
}

/** What an engine's own exactness probe said. A pass holds for the probe's prompt alone. */
export interface ProbeVerdict {
  readonly passed: boolean;
  readonly blockSize: number | null;
  readonly position: number | null;
  readonly differingBytes: number | null;
  readonly totalBytes: number | null;
  readonly reason: string;
  readonly line: number;
  readonly quote: string;
}

/** An identity that does not hold (violation), or something to know about the numbers (note). */
export interface Finding {
  readonly severity: 'violation' | 'note';
  /** A short name: "bonus chain", "sum of accepted". */
  readonly identity: string;
  readonly sentence: string;
  readonly line: number | null;
  readonly round: number | null;
  /** The line as it stands, cut to a sane length. */
  readonly quote: string;
}

export interface FormatSeen {
  readonly id: string;
  readonly engine: string;
  readonly title: string;
  readonly grade: Grade | null;
  readonly firstLine: number | null;
}

export interface Capture {
  /** Name of the file, without its folder. */
  readonly source: string;
  readonly bytes: number;
  readonly engine: string;
  /** The format with the best grade; `formats` lists all that were found. */
  readonly format: string;
  readonly formats: readonly FormatSeen[];
  readonly grade: Grade | null;
  readonly semantics: Semantics;
  readonly requests: readonly CapturedRequest[];
  readonly intervals: readonly CapturedInterval[];
  readonly declined: readonly Decline[];
  readonly probes: readonly ProbeVerdict[];
  readonly facts: Facts;
  readonly warnings: readonly string[];
  /** In the order of the log's lines. */
  readonly findings: readonly Finding[];
}

/** The request of this id, else that of this number. */
export function requestNamed(requests: readonly CapturedRequest[], name: string): CapturedRequest | undefined {
  return requests.find(({ request }) => request === name) ?? requests.find(({ ordinal }) => String(ordinal) === name);
}

const severest = ({ severity }: Finding): boolean => severity === 'violation';

/** The first identity that does not hold, null where all hold. */
export function firstViolation({ findings }: Pick<Capture, 'findings'>): Finding | null {
  return findings.find(severest) ?? null;
}

export interface Usable {
  readonly replay: 'byte-exact' | 'wrong-id fill' | 'none';
  readonly words: string;
  /** What a replay still needs, or what the log lacks. */
  readonly missing: readonly string[];
}

/** What a replay can do with a request. */
export function usable({ grade, roundCount, rounds, promptIds, firstBonus, complete, reason, kind }: CapturedRequest): Usable {
  if (grade === 'C' || grade === 'D') {
    const words = grade === 'C' ? 'no replay: acceptance can be compared, but the order of the rounds is not in the log' : 'no replay: totals or means only';
    return { replay: 'none', words, missing: ['the accepted count of every round, in order'] };
  }
  if (kind === 'warm-up' || roundCount === 0 || rounds === null || rounds.length === 0) return { replay: 'none', words: 'nothing to replay: no rounds', missing: ['rounds'] };
  const missing = [...(promptIds === null ? ['the prompt ids'] : []), ...(complete ? [] : [`the rest of the request: ${reason}`])];
  if (grade === 'B') {
    const words = 'replay with wrong-id fill in rejected rows: the rejected drafts are not in the log';
    return { replay: 'wrong-id fill', words, missing: [...missing, 'the ids of the rejected drafts'] };
  }
  const bonus = firstBonus === null ? ['the first bonus id (the first token the target chooses after the prompt)'] : [];
  return { replay: 'byte-exact', words: 'byte-exact replay without the drafter', missing: [...missing, ...bonus] };
}
