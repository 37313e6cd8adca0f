// What a user asks for: a probe over arms. The same document comes from the palette, the CLI and a report that is run again.
import { z } from 'zod';

export const limits = { width: 256, widths: 16, draws: 64, walk: 16384, promptIds: 1_000_000, promptChars: 4_000_000, threads: 256 } as const;

const id = z.int().min(0).max(0xffff_ffff);
export const Switches = z.record(z.string().min(1).max(64), z.union([z.string().max(64), z.int()]));

/** Where the tokens come from. `draws`: synthetic ids (i * stride + offset + salt) mod vocab, as block-versus-chain probes in the field use them. */
export const Input = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().min(1).max(limits.promptChars) }),
  z.object({ type: z.literal('ids'), ids: z.array(id).min(1).max(limits.promptIds) }),
  z.object({ type: z.literal('draws'), draws: z.int().min(1).max(limits.draws), promptLength: z.int().min(1).max(limits.promptIds) }),
]);
export type Input = z.infer<typeof Input>;

/** Block vs chain: prefill, then W tokens as one verify block (arm B) and as W decodes (arm A), from forked sessions. */
export const BisectExperiment = z.object({
  kind: z.literal('bisect'),
  /** Folder of the checkpoint. */
  model: z.string().min(1).max(4096),
  widths: z.array(z.int().min(2).max(limits.width)).min(1).max(limits.widths),
  input: Input,
  /** Tokens of the long walk (blocks of the width against single steps), 0 for none. */
  walk: z.int().min(0).max(limits.walk),
  /** Switches of both arms; a name that is missing has the engine's default. */
  switches: Switches,
});
export type BisectExperiment = z.infer<typeof BisectExperiment>;

/** Two safetensors files, tensor by tensor. */
export const DiffExperiment = z.object({ kind: z.literal('diff'), a: z.string().min(1).max(4096), b: z.string().min(1).max(4096) });
export type DiffExperiment = z.infer<typeof DiffExperiment>;

export const Experiment = z.discriminatedUnion('kind', [BisectExperiment, DiffExperiment]);
export type Experiment = z.infer<typeof Experiment>;
