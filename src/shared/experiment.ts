// What a user asks for: a probe over arms. The same document comes from the palette, the CLI and a report that is run again.
import { z } from 'zod';
import { IdsExperiment } from './experiments/ids';
import { Input, path, ranges, Switches, wholeIn, widths } from './experiments/parts';
import { CacheExperiment, ConcurrencyExperiment, RepeatExperiment, RescoreExperiment, ServersExperiment, type ServedExperiment } from './experiments/served';
import { GateExperiment, ParityExperiment, PrefillExperiment, ReplayExperiment, RewindExperiment, SwitchesExperiment, WidthsExperiment } from './experiments/speculation';

export { Input, limits, Prompt, type Range, ranges, rangeSentence, rangeText, Switches } from './experiments/parts';
export * from './experiments/ids';
export * from './experiments/served';
export * from './experiments/speculation';

/** Block vs chain: prefill, then W tokens as one verify block (arm B) and as W decodes (arm A), from forked sessions. */
export const BisectExperiment = z.object({
  kind: z.literal('bisect'),
  /** Folder of the checkpoint. */
  model: path('the model folder'),
  widths,
  input: Input,
  /** Tokens of the long walk (blocks of the width against single steps), 0 for none. */
  walk: wholeIn(ranges.walk),
  /** Switches of both arms; a name that is missing has the engine's default. */
  switches: Switches,
});
export type BisectExperiment = z.infer<typeof BisectExperiment>;

/** Two safetensors files, tensor by tensor. */
export const DiffExperiment = z.object({ kind: z.literal('diff'), a: path('file a'), b: path('file b') });
export type DiffExperiment = z.infer<typeof DiffExperiment>;

export const Experiment = z.discriminatedUnion('kind', [
  BisectExperiment,
  DiffExperiment,
  IdsExperiment,
  PrefillExperiment,
  GateExperiment,
  ParityExperiment,
  ReplayExperiment,
  RewindExperiment,
  WidthsExperiment,
  SwitchesExperiment,
  RepeatExperiment,
  CacheExperiment,
  ConcurrencyExperiment,
  ServersExperiment,
  RescoreExperiment,
]);
export type Experiment = z.infer<typeof Experiment>;
/** Experiments that run a model. */
export type ModelExperiment = Exclude<Experiment, DiffExperiment | IdsExperiment | ServedExperiment>;
