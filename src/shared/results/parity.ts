// Result of a parity run: classic greedy decode against the burst.
import { z } from 'zod';
import { count, counts, Float, Noise, PromptFacts, Resolved, TokenTexts, Verdict } from './parts';

export const outcomes = ['equal', 'differs', 'declined', 'not run'] as const;

/** Where the burst's ids leave the classic ones first. */
export const Fork = z.object({
  /** Index among the emitted ids, 0 is the first bonus. */
  token: count,
  /** -1: the first bonus, before any round. */
  round: z.int().min(-1),
  row: count,
  classicId: count,
  burstId: count,
  /** Best minus second-best logit of classic decode there. */
  margin: Float,
  /** The best logit of classic decode minus its logit of the burst's id. */
  gap: Float,
  floor: Float,
  word: z.enum(['tie', 'defect']),
});
export type Fork = z.infer<typeof Fork>;

export const ParityRun = z.object({
  prompt: count,
  width: count,
  outcome: z.enum(outcomes),
  rounds: count,
  proposed: count,
  accepted: count,
  rewinds: count,
  emitted: count,
  /** Accepted drafts of every round. */
  acceptedPerRound: counts,
  end: z.string(),
  /** What the burst emitted, the first bonus included; missing where none ran. */
  ids: counts.exactOptional(),
  fork: Fork.nullable(),
  /** Rounds whose state was compared with single steps. */
  audits: count,
  auditBytes: count,
  /** First state tensor that differed, "" for none. */
  auditFirst: z.string(),
});
export type ParityRun = z.infer<typeof ParityRun>;

export const ParityWidth = z.object({
  width: count,
  decision: z.string(),
  reason: z.string(),
  equal: count,
  differs: count,
  declined: count,
  rounds: count,
  proposed: count,
  accepted: count,
  emitted: count,
  verdict: Verdict,
});
export type ParityWidth = z.infer<typeof ParityWidth>;

export const DrafterFacts = z.object({
  path: z.string(),
  family: z.string(),
  fingerprint: z.string(),
  blockSize: count.nullable(),
  dtype: z.string(),
  quantisation: z.string(),
  parameters: count,
  taps: z.array(z.string()),
  switches: Resolved,
});
export type DrafterFacts = z.infer<typeof DrafterFacts>;

export const ParityResult = z.object({
  drafter: DrafterFacts,
  prompts: z.array(PromptFacts),
  classic: z.array(z.object({ ids: counts, end: z.string() })),
  batch: count,
  widths: z.array(ParityWidth),
  runs: z.array(ParityRun),
  /** Forks at all widths together: one place points at the forward, moving places at rewind or accept rule. */
  invariance: z.string(),
  noise: Noise,
  texts: TokenTexts.exactOptional(),
});
export type ParityResult = z.infer<typeof ParityResult>;
