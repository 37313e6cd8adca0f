// Result of a width sweep. What a clock measured differs from run to run and stands in the report's `run`; everything here is the same in every run.
import { z } from 'zod';
import { count, PromptFacts, Verdict } from './parts';
import { DrafterFacts } from './parity';

export const SweptWidth = z.object({
  asked: count,
  used: count,
  decision: z.enum(['engage', 'decline', 'override']),
  reason: z.string(),
  rounds: count,
  proposed: count,
  accepted: count,
  emitted: count,
  /** Prompts whose ids are those of classic decode. */
  equalPrompts: count,
  kernels: z.array(z.string()),
  verdict: Verdict,
});
export type SweptWidth = z.infer<typeof SweptWidth>;

export const WidthsResult = z.object({ drafter: DrafterFacts, prompts: z.array(PromptFacts), widths: z.array(SweptWidth), classicEmitted: count });
export type WidthsResult = z.infer<typeof WidthsResult>;

/** Milliseconds of a pass over all prompts, by phase. Classic decode has prefill and decode alone. */
export const Phases = z.object({ prefill: z.number(), draft: z.number(), verify: z.number(), accept: z.number(), rewind: z.number(), decode: z.number() });
export type Phases = z.infer<typeof Phases>;

export const TimedArm = z.object({
  /** "classic", "classic, again" (the null arm), "width 4". */
  name: z.string(),
  /** 0: classic. */
  width: count,
  tokensPerSecond: z.array(z.number()),
  /** Of each repeat against the classic pass that opened it. */
  againstClassic: z.array(z.number()),
  /** Mean of the repeats. */
  phases: Phases,
});
export type TimedArm = z.infer<typeof TimedArm>;

/** Timings of a sweep: `open` and `close` bracket each repeat. */
export const SweepTimings = z.object({ open: z.array(z.number()), close: z.array(z.number()), arms: z.array(TimedArm) });
export type SweepTimings = z.infer<typeof SweepTimings>;
