// Result of an accept-sequence replay.
import { z } from 'zod';
import { Fill, Form } from '../experiments/speculation';
import { ChoiceRows, count, counts, Noise, PromptFacts, StateDiff, TokenTexts, Verdict } from './parts';

/** Rounds of a replay, columnar: rows of the block and how many were kept. */
export const Schedule = z.object({ rows: counts, kept: counts });
export type Schedule = z.infer<typeof Schedule>;

/** What the accept sequence came from, and whether the counts of both agree. */
export const LogFacts = z.object({
  file: z.string(),
  engine: z.string(),
  /** Number of the burst in the log, from 0. */
  request: count,
  name: z.string(),
  grade: z.string(),
  rounds: count,
  rewinds: count,
  keptSum: count,
  accepted: count,
  /** Sentences on what does not hold in the log or between log and replay; none: all of it holds. */
  findings: z.array(z.string()),
  /** What does not fit between the log and what was given here, so that the replay is of another request. */
  notes: z.array(z.string()),
  /** The forward path of its prompt, where the log says it: "causal", "verify", "". */
  prefill: z.string(),
});
export type LogFacts = z.infer<typeof LogFacts>;

export const ReplayPlace = z.object({ position: count, round: count, row: count });
export type ReplayPlace = z.infer<typeof ReplayPlace>;

/** One way of driving the sequence, against the classic chain. Rows are the kept rows in order: entry 0 is the prefill's last row, entry i the row of reference token i - 1. */
export const ReplayRun = z.object({
  form: Form,
  fill: Fill,
  rows: ChoiceRows,
  /** First row whose bytes differ, null: none. */
  first: ReplayPlace.nullable(),
  firstChoice: ReplayPlace.nullable(),
  rewinds: count,
  /** Rounds in which the session dropped another number of rows than asked. */
  misdropped: z.array(z.object({ round: count, asked: count, dropped: count })),
  /** The whole state at the end against the chain's. */
  state: z.array(StateDiff),
  kernels: z.array(z.string()),
  verdict: Verdict,
});
export type ReplayRun = z.infer<typeof ReplayRun>;

export const ReplayResult = z.object({
  width: count,
  rounds: count,
  rewinds: count,
  keptSum: count,
  accepted: count,
  zero: count,
  partial: count,
  full: count,
  prompt: PromptFacts,
  reference: z.object({ source: z.enum(['greedy', 'ids', 'log']), ids: counts, /** Where the model's own greedy choice leaves the reference first, -1: nowhere. */ leavesAt: z.int().min(-1) }),
  schedule: Schedule,
  log: LogFacts.nullable(),
  runs: z.array(ReplayRun),
  noise: Noise,
  /** What differences point to, in words. */
  attribution: z.string(),
  texts: TokenTexts.exactOptional(),
});
export type ReplayResult = z.infer<typeof ReplayResult>;
