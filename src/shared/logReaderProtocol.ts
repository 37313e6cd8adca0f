// What crosses between the extension host, the page of an accept log and the process that reads it. A log stays in that process: the others ask for the rows they show.
import { z } from 'zod';
import type { AcceptShape, TimelineBin } from './acceptShape';
import type { Stretch, StretchKind } from './acceptStretches';
import type { CapturedInterval, CapturedRequest, CapturedRound, Decline, Facts, Finding, FormatSeen, Grade, ProbeVerdict, Semantics, Usable } from './capture';
import type { CaptureComparison } from './captureCompare';
import type { ProblemData } from './engineProtocol';
import { mostRows } from './logLimits';

/** The log of the document, and the one it is compared with. */
export const Slot = z.enum(['a', 'b']);
export type Slot = z.infer<typeof Slot>;

export interface LogCounts {
  readonly requests: number;
  /** Of all requests. */
  readonly rounds: number;
  readonly intervals: number;
  readonly findings: number;
  readonly violations: number;
  readonly declined: number;
  readonly probes: number;
}

/** How far a log is read and what it is, without its rows. */
export interface LogState {
  readonly slot: Slot;
  readonly source: string;
  readonly phase: 'reading' | 'done' | 'failed';
  /** Why it was not read to its end; what was read until then still stands. */
  readonly problem: ProblemData | null;
  readonly bytes: number;
  readonly bytesRead: number;
  /** "" as long as no line was known. */
  readonly engine: string;
  /** What prints the best format, in the engine's words. */
  readonly title: string;
  readonly formats: readonly FormatSeen[];
  readonly grade: Grade | null;
  readonly semantics: Semantics | null;
  readonly facts: Facts;
  readonly warnings: readonly string[];
  readonly counts: LogCounts;
  /** The request to look at where none is chosen: the first that has rounds, and not the one that warmed the engine up. */
  readonly first: number;
}

/** Before a line was known. */
export const nothingKnown: Pick<LogState, 'engine' | 'title' | 'formats' | 'grade' | 'semantics' | 'facts' | 'warnings' | 'counts' | 'first'> = {
  engine: '',
  title: '',
  formats: [],
  grade: null,
  semantics: null,
  facts: {},
  warnings: [],
  counts: { requests: 0, rounds: 0, intervals: 0, findings: 0, violations: 0, declined: 0, probes: 0 },
  first: 0,
};

type Figures = 'roundCount' | 'acceptedSum' | 'proposedSum' | 'acceptanceRate' | 'meanLengthWithBonus';

export type RequestRow = Pick<CapturedRequest, 'ordinal' | 'request' | 'kind' | 'grade' | 'complete' | 'line' | Figures> & {
  /** Stretches without an accepted draft, and with nearly all accepted. */
  readonly flagged: Readonly<Record<StretchKind, number>>;
};

type Detail = 'format' | 'reason' | 'interleaved' | 'keptSum' | 'rewinds' | 'zero' | 'partial' | 'full' | 'promptTokens' | 'generatedTokens' | 'cutInLastRound' | 'firstBonus' | 'flags' | 'facts';

export type RequestDetail = RequestRow &
  Pick<CapturedRequest, Detail> & {
    readonly shape: AcceptShape;
    /** Null where the log does not give the counts. */
    readonly timeline: readonly TimelineBin[] | null;
    readonly usable: Usable;
    /** Rounds that can be shown, null where the log has none in order. */
    readonly shown: number | null;
    /** The first of them; null where the log does not give the counts. */
    readonly stretches: readonly Stretch[] | null;
  };

export type RoundRow = CapturedRound & {
  /** Drafts proposed, null where the log does not say. */
  readonly drafted: number | null;
  readonly stretch: StretchKind | null;
};

export type IntervalRow = Pick<CapturedInterval, 'ordinal' | 'scope' | 'grade' | 'line' | 'perPosition' | Figures>;

/** A round as it lies over the positions of its request. Null: the log does not say. */
export interface TokenRound {
  /** Place in the list of rounds. */
  readonly place: number;
  readonly index: number;
  /** Its first position, and how many it gave. */
  readonly from: number;
  readonly kept: number;
  readonly accepted: number;
  readonly drafted: number | null;
  /** Rows of the cache once it has ended. */
  readonly live: number | null;
  readonly line: number | null;
}

/** A request by the positions of its tokens, one picture of it; position 0 is the token that the prefill chose. */
export interface LogTokens {
  readonly from: number;
  /** Positions of the request in all, 0 where the log has no rounds in order. */
  readonly total: number;
  /** What was kept at each position, and what was drafted for it; -1: not told, or nothing. */
  readonly ids: readonly number[];
  readonly drafts: readonly number[];
  /** Those that gave at least one of these positions. */
  readonly rounds: readonly TokenRound[];
  readonly promptTokens: number | null;
}

export interface RowsOf {
  readonly requests: readonly RequestRow[];
  readonly rounds: readonly RoundRow[];
  readonly intervals: readonly IntervalRow[];
  readonly findings: readonly Finding[];
  readonly declined: readonly Decline[];
  readonly probes: readonly ProbeVerdict[];
}
export type RowList = keyof RowsOf;

const place = z.int().min(0).max(10_000_000);
const list = z.enum(['requests', 'rounds', 'intervals', 'findings', 'declined', 'probes']);

/** `from` inside, `to` outside. `request`: the ordinal whose rounds are asked for. */
export const RowsQuestion = z.object({ ask: z.literal('rows'), slot: Slot, list, request: place.optional(), from: place, to: place }).refine(({ from, to }) => to >= from && to - from <= mostRows, { error: `at most ${mostRows} rows are given at once` });
export type RowsQuestion = z.infer<typeof RowsQuestion>;

export const LogQuestion = z.discriminatedUnion('ask', [
  RowsQuestion,
  z.object({ ask: z.literal('request'), slot: Slot, request: place }),
  /** `from`: the first position of the picture. */
  z.object({ ask: z.literal('tokens'), slot: Slot, request: place, from: place }),
  z.object({ ask: z.literal('compare'), a: place, b: place }),
]);
export type LogQuestion = z.infer<typeof LogQuestion>;

export type LogAnswer<Q extends LogQuestion> = Q extends { ask: 'rows'; list: infer L extends RowList } ? RowsOf[L] : Q extends { ask: 'request' } ? RequestDetail : Q extends { ask: 'tokens' } ? LogTokens : CaptureComparison;

export const exportFormats = ['json', 'tsv'] as const;
export const ExportFormat = z.enum(exportFormats);
export type ExportFormat = z.infer<typeof ExportFormat>;

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly file: string;
}

/** Lines of a log that is too large for an editor, as they stand. */
export interface LogExcerpt {
  /** Number of the first line. */
  readonly from: number;
  readonly lines: readonly string[];
}

export interface QuickLookRequest {
  /** The beginning of a text; `whole` where it is all of it. */
  readonly text: string;
  readonly whole: boolean;
}

/** Lines count from 1. Null: nothing of it is a known log. */
export type QuickLook = {
  readonly engine: string;
  readonly grade: Grade | null;
  readonly line: number;
  readonly requests: readonly { readonly ordinal: number; readonly name: string | null; readonly line: number; readonly rounds: number | null }[];
} | null;

/** Names of the RPC methods. `read` is answered when the log was read to its end; until then its state comes as a notification. */
export const logMethods = { read: 'log/read', ask: 'log/ask', export: 'log/export', excerpt: 'log/excerpt', quickLook: 'log/quickLook', state: 'log/state' } as const;
