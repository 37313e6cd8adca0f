// Pieces that several experiments are made of.
import { z } from 'zod';

export const limits = {
  width: 256,
  widths: 16,
  draws: 64,
  walk: 16384,
  promptIds: 1_000_000,
  promptChars: 4_000_000,
  threads: 256,
  tokens: 65_536,
  rounds: 65_536,
  prompts: 1024,
  partitions: 32,
  batch: 64,
} as const;

/** A number of an experiment or setting, and the numbers it may be. */
export interface Range {
  readonly what: string;
  readonly min: number;
  readonly max: number;
}

/** Each said once: schema, help, palette, settings and messages take it from here. */
export const ranges = {
  draws: { what: 'the number of draws', min: 1, max: limits.draws },
  promptLength: { what: 'the prompt length', min: 1, max: limits.promptIds },
  walk: { what: 'the length of the walk', min: 0, max: limits.walk },
  /** Of the engine, which takes what is out of it for its nearest end and notes that. */
  threads: { what: 'the number of threads', min: 1, max: limits.threads },
} as const satisfies Readonly<Record<string, Range>>;

export const rangeText = ({ min, max }: Pick<Range, 'min' | 'max'>): string => `a whole number from ${min} to ${max}`;
export const rangeSentence = (range: Range): string => `${range.what} is ${rangeText(range)}`;

export const whole = (what: string, min: number, max: number): z.ZodInt => wholeIn({ what, min, max });
export function wholeIn(range: Range): z.ZodInt {
  const error = rangeSentence(range);
  return z.int({ error }).min(range.min, { error }).max(range.max, { error });
}
export const list = <T extends z.ZodType>(item: T, what: string, max: number): z.ZodArray<T> =>
  z.array(item, { error: `${what} is a list` }).min(1, { error: `${what} is empty` }).max(max, { error: `${what} has more than ${max} entries` });
export const path = (what: string): z.ZodString => z.string({ error: `${what} is a path` }).min(1, { error: `${what} is empty` }).max(4096, { error: `${what} has more than 4096 characters` });
export const promptText = z.string({ error: 'the prompt is text' }).min(1, { error: 'the prompt is empty' }).max(limits.promptChars, { error: `the prompt has more than ${limits.promptChars} characters` });

export const id = whole('a token id', 0, 0xffff_ffff);
export const ids = (what: string): z.ZodArray<z.ZodInt> => list(id, what, limits.promptIds);
export const widths = list(whole('a width', 2, limits.width), 'the list of widths', limits.widths);

/** Switches of the engine, and those of a burst, whose names begin with "burst.". */
export const Switches = z.record(z.string().min(1).max(64), z.union([z.string().max(64), z.int()]));
export type Switches = z.infer<typeof Switches>;

const Text = z.object({ type: z.literal('text'), text: promptText });
const Ids = z.object({ type: z.literal('ids'), ids: ids('the list of prompt ids') });

/** Synthetic ids (i * stride + offset + salt) mod vocab. */
const Draw = z.object({ type: z.literal('draw'), draw: whole('the draw', 0, limits.draws - 1), length: wholeIn(ranges.promptLength) });

/** One prompt. `default`: a built-in text, or synthetic ids for a model without a tokenizer. */
export const Prompt = z.discriminatedUnion('type', [Text, Ids, Draw, z.object({ type: z.literal('default') })]);
export type Prompt = z.infer<typeof Prompt>;

/** Where the tokens of a block-versus-chain probe come from. `draws`: synthetic ids (i * stride + offset + salt) mod vocab, as such probes in the field use them. */
export const Input = z.discriminatedUnion('type', [
  Text,
  Ids,
  z.object({ type: z.literal('draws'), draws: wholeIn(ranges.draws), promptLength: wholeIn(ranges.promptLength) }),
]);
export type Input = z.infer<typeof Input>;
