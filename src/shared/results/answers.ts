// Result of a probe over servers: answers, and pairs of them side by side.
import { z } from 'zod';
import { SpeculationCounters } from '../serverProfile';
import { count, Float, floats, Verdict } from './parts';

/** -1 stands for what the server does not tell. */
const told = z.int().min(-1);

/** Columns are empty where the server tells nothing of single tokens. */
export const Answer = z.object({
  label: z.string(),
  prompt: count,
  text: z.string(),
  tokens: z.array(z.string()),
  ids: z.array(told),
  /** Natural logarithms, as the server printed them; NaN where it gave none. */
  logprobs: floats,
  /** Why it ended, in the server's word. */
  finish: z.string(),
  promptTokens: told,
  cachedTokens: told,
  /** Most requests that shared a forward with it, itself included. */
  together: told,
  speculation: SpeculationCounters.nullable(),
});
export type Answer = z.infer<typeof Answer>;

/** Where two answers take different ways. `margin`: best minus second-best log probability of arm A. `gap`: its choice minus what arm B chose, or the other way round in arm B where arm A tells no candidates. NaN where they are not told. */
export const AnswerFork = z.object({
  at: count,
  a: z.string(),
  b: z.string(),
  idA: told,
  idB: told,
  margin: Float,
  gap: Float,
  /** `void`: what would tell a tie from a defect is not told. */
  word: z.enum(['tie', 'defect', 'void']),
});
export type AnswerFork = z.infer<typeof AnswerFork>;

/** Log probabilities over the tokens that both arms chose. */
export const LogprobDiff = z.object({
  compared: count,
  differing: count,
  largest: Float,
  /** Token of the largest difference, and the first that differs. */
  at: told,
  first: told,
  /** Tokens that are the best of their place in one arm and not in the other; -1 where candidates are not told. */
  ranks: told,
});
export type LogprobDiff = z.infer<typeof LogprobDiff>;

export const AnswerPair = z.object({
  label: z.string(),
  prompt: count,
  /** Indices into the answers. */
  a: count,
  b: count,
  unit: z.enum(['tokens', 'characters']),
  /** Leading units that agree, of so many in the longer answer. */
  common: count,
  length: count,
  fork: AnswerFork.nullable(),
  logprobs: LogprobDiff,
  verdict: Verdict,
});
export type AnswerPair = z.infer<typeof AnswerPair>;

/** How far answers of arm A part that should not, measured in the same run. */
export const AnswerNoise = z.object({
  /** Arm A twice: tokens (or characters) from the first difference on, and log probabilities that differ. */
  repeatDiffering: count,
  /** Largest change of a log probability, or of the distance of two candidates, between two equivalent ways of arm A; NaN where none is told. */
  floor: Float,
  orders: z.string(),
});
export type AnswerNoise = z.infer<typeof AnswerNoise>;

export const AnswersResult = z.object({
  prompts: z.array(z.string()),
  answers: z.array(Answer),
  pairs: z.array(AnswerPair),
  noise: AnswerNoise.nullable(),
  /** What has to be known to read the pairs. */
  notes: z.array(z.string()),
  /** What the servers counted while the probe ran, of all their requests. */
  counters: z.array(SpeculationCounters.extend({ server: z.string() })),
});
export type AnswersResult = z.infer<typeof AnswersResult>;
