// Pieces that the results of several probes are made of.
import { z } from 'zod';
import { Verdict } from '../verdict';

export const LayerKind = z.enum(['attention', 'gated_delta']);
export type LayerKind = z.infer<typeof LayerKind>;

/** A row of the heat map: before the layers, a layer, after the layers. */
export const MapRow = z.object({ label: z.string(), layer: z.int(), kind: z.union([LayerKind, z.enum(['embedding', 'head'])]) });
export type MapRow = z.infer<typeof MapRow>;

export const count = z.int().min(0);
export const counts = z.array(count);
/** NaN and infinities travel as their names, since JSON has none. */
export const Float = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]);
export type Float = z.infer<typeof Float>;
export const floats = z.array(Float);

/** One state tensor of a layer. */
export const StateDiff = z.object({
  layer: z.int(),
  tensor: z.string(),
  bytes: count,
  differingBytes: count,
  maxUlp: count,
  relL2: Float,
  firstIndex: z.int().min(-1),
});
export type StateDiff = z.infer<typeof StateDiff>;

/** How far two runs may part without meaning anything, measured in the same run. */
export const Noise = z.object({
  /** Arm A twice: bytes that differ. */
  repeatDifferingBytes: count,
  /** Largest change of a logit between two equivalent reduction orders of arm A; what made them is in `orders`. */
  floor: Float,
  orders: z.string(),
});
export type Noise = z.infer<typeof Noise>;

/** Greedy choices and logit bytes row by row. Columnar. `margin`: best minus second-best logit of arm A; `gap`: the best logit of arm A minus its logit of what arm B chose. */
export const ChoiceRows = z.object({
  bytes: count,
  differingBytes: counts,
  maxAbs: floats,
  argmaxA: counts,
  argmaxB: counts,
  marginA: floats,
  gapA: floats,
});
export type ChoiceRows = z.infer<typeof ChoiceRows>;

/** A switch that belongs to the burst or the engine, as it was resolved. */
export const Resolved = z.record(z.string(), z.union([z.string(), z.number()]));

/** Texts of the ids that a report names, ids ascending; a part of a character reads as U+FFFD. Empty for a model without a tokenizer. */
export const TokenTexts = z.object({ ids: counts, texts: z.array(z.string()) });
export type TokenTexts = z.infer<typeof TokenTexts>;

/** The prompt as it ran. */
export const PromptFacts = z.object({ source: z.enum(['text', 'ids', 'built-in text', 'synthetic ids', 'log']), ids: counts });
export type PromptFacts = z.infer<typeof PromptFacts>;

export { Verdict };
