// Result of a prefill comparison.
import { z } from 'zod';
import { ChoiceRows, count, counts, Float, MapRow, Noise, PromptFacts, StateDiff, Verdict } from './parts';

/** A tap that differs somewhere in the prompt, by the hashes of its rows. */
export const PrefillTap = z.object({
  layer: z.int(),
  tap: z.string(),
  rows: count,
  differingRows: count,
  /** First row of the prompt that differs. */
  firstRow: count,
  /** Counts of the first taps in data order; null for the others. */
  measured: z.object({ bytes: count, differingBytes: count, maxUlp: count, relL2: Float }).nullable(),
});
export type PrefillTap = z.infer<typeof PrefillTap>;

/** Layers x tokens of the prompt, row-major: how many of a layer's taps differ in the token's row, by hash. */
export const TapMap = z.object({
  rows: z.array(MapRow),
  positions: count,
  /** Taps compared, of each row of the map. */
  taps: counts,
  differing: counts,
});
export type TapMap = z.infer<typeof TapMap>;

export const PrefillRun = z.object({
  label: z.string(),
  /** The burst's forward path over the prompt. */
  path: z.enum(['causal', 'verify']),
  /** Tokens of a forward, 0: all at once. */
  partition: count,
  forwards: count,
  /** The last row of the prompt. */
  logits: ChoiceRows,
  /** Every layer cache, taken before either arm advanced. */
  state: z.array(StateDiff),
  /** First layer cache that differs. */
  firstState: z.object({ layer: z.int(), tensor: z.string() }).nullable(),
  tapsCompared: count,
  /** Taps that differ, in data order, from a captured pass; the first is where the arms part. */
  taps: z.array(PrefillTap),
  /** Missing: more cells than a report takes. */
  map: TapMap.exactOptional(),
  captureDifferingBytes: z.object({ a: count, b: count }),
  kernelsA: z.array(z.string()),
  kernelsB: z.array(z.string()),
  /** What the picture is, in words: where the arms part, and what that does to the caches. */
  picture: z.string(),
  verdict: Verdict,
});
export type PrefillRun = z.infer<typeof PrefillRun>;

export const PrefillResult = z.object({ prompt: PromptFacts, runs: z.array(PrefillRun), noise: Noise });
export type PrefillResult = z.infer<typeof PrefillResult>;
