// What a user asks for: a probe over arms. The same document comes from the palette, the CLI and a report that is run again.
import { z } from 'zod';

export const limits = { width: 256, widths: 16, draws: 64, walk: 16384, promptIds: 1_000_000, promptChars: 4_000_000, threads: 256 } as const;

const whole = (what: string, min: number, max: number): z.ZodInt => {
  const error = `${what} is a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
const list = <T extends z.ZodType>(item: T, what: string, max: number): z.ZodArray<T> =>
  z.array(item, { error: `${what} is a list` }).min(1, { error: `${what} is empty` }).max(max, { error: `${what} has more than ${max} entries` });
const path = (what: string): z.ZodString => z.string({ error: `${what} is a path` }).min(1, { error: `${what} is empty` }).max(4096, { error: `${what} has more than 4096 characters` });
const promptText = z.string({ error: 'the prompt is text' }).min(1, { error: 'the prompt is empty' }).max(limits.promptChars, { error: `the prompt has more than ${limits.promptChars} characters` });

const id = whole('a token id', 0, 0xffff_ffff);
export const Switches = z.record(z.string().min(1).max(64), z.union([z.string().max(64), z.int()]));

/** Where the tokens come from. `draws`: synthetic ids (i * stride + offset + salt) mod vocab, as block-versus-chain probes in the field use them. */
export const Input = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: promptText }),
  z.object({ type: z.literal('ids'), ids: list(id, 'the list of prompt ids', limits.promptIds) }),
  z.object({ type: z.literal('draws'), draws: whole('the number of draws', 1, limits.draws), promptLength: whole('the prompt length', 1, limits.promptIds) }),
]);
export type Input = z.infer<typeof Input>;

/** Block vs chain: prefill, then W tokens as one verify block (arm B) and as W decodes (arm A), from forked sessions. */
export const BisectExperiment = z.object({
  kind: z.literal('bisect'),
  /** Folder of the checkpoint. */
  model: path('the model folder'),
  widths: list(whole('a width', 2, limits.width), 'the list of widths', limits.widths),
  input: Input,
  /** Tokens of the long walk (blocks of the width against single steps), 0 for none. */
  walk: whole('the length of the walk', 0, limits.walk),
  /** Switches of both arms; a name that is missing has the engine's default. */
  switches: Switches,
});
export type BisectExperiment = z.infer<typeof BisectExperiment>;

/** Two safetensors files, tensor by tensor. */
export const DiffExperiment = z.object({ kind: z.literal('diff'), a: path('file a'), b: path('file b') });
export type DiffExperiment = z.infer<typeof DiffExperiment>;

export const Experiment = z.discriminatedUnion('kind', [BisectExperiment, DiffExperiment]);
export type Experiment = z.infer<typeof Experiment>;
