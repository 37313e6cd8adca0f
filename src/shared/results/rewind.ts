// Result of a rewind audit.
import { z } from 'zod';
import { count, counts, Float, PromptFacts, Verdict } from './parts';
import { LogFacts, Schedule } from './replay';

/** What the state after a rewind is compared with. `trace`: the same blocks with other ids in the rejected rows. `kept`: blocks of the kept rows alone. `chain`: single steps. */
export const references = ['trace', 'kept', 'chain'] as const;

/** Every rewind, columnar; bytes of state that differ against each reference, -1 where it was not compared. */
export const Audits = z.object({
  round: counts,
  row: counts,
  asked: counts,
  dropped: counts,
  traceBytes: z.array(z.int().min(-1)),
  keptBytes: z.array(z.int().min(-1)),
  chainBytes: z.array(z.int().min(-1)),
});
export type Audits = z.infer<typeof Audits>;

/** A state tensor that differed after at least one rewind. */
export const AuditedTensor = z.object({
  layer: z.int(),
  tensor: z.string(),
  against: z.enum(references),
  bytes: count,
  /** The most of any rewind. */
  differingBytes: count,
  relL2: Float,
  rewinds: count,
  firstRound: count,
  firstIndex: z.int().min(-1),
});
export type AuditedTensor = z.infer<typeof AuditedTensor>;

export const RewindResult = z.object({
  width: count,
  batch: count,
  rounds: count,
  rewinds: count,
  keptSum: count,
  accepted: count,
  prompt: PromptFacts,
  schedule: Schedule,
  log: LogFacts.nullable(),
  /** How each layer goes back, as the session says. */
  how: z.array(z.object({ layer: count, how: z.string() })),
  stateBytes: count,
  audits: Audits,
  tensors: z.array(AuditedTensor),
  first: AuditedTensor.nullable(),
  verdict: Verdict,
});
export type RewindResult = z.infer<typeof RewindResult>;
