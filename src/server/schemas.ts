// What the endpoints take. Fields that would change the answer and are not supported are refused by name; others are ignored, as clients send many.
import { z } from 'zod';
import { limits } from '../shared/experiment';
import { formOf, listOf } from '../shared/firstFault';

const id = z.int().min(0).max(0xffff_ffff);
const most = { n: 16, stops: 16, stopChars: 1024, logprobs: 20, text: 8_000_000, messages: 4096, parts: 4096, user: 256, seed: 2 ** 52 } as const;

/** JSON can hold half of a character, which no tokenizer takes. */
const whole = (value: string): boolean => !/\p{Surrogate}/u.test(value);
const text = z.string().max(most.text).refine(whole, { error: 'the text holds half of a character (a lone surrogate)' });
const ids = listOf(id, limits.promptIds);

type PromptForm = string | readonly string[] | readonly number[] | readonly (readonly number[])[];
const promptForms = {
  text: text,
  texts: listOf(text, most.n),
  ids,
  lists: listOf(ids.refine((list) => list.length > 0, { error: 'the list of token ids is empty' }), most.n),
  other: z.never({ error: `the prompt is a text, a list of token ids, or a list of up to ${most.n} of either` }),
} as const satisfies Readonly<Record<string, z.ZodType<PromptForm>>>;

const prompt = formOf<PromptForm>((value) => {
  const { text: one, texts, ids: list, lists, other } = promptForms;
  if (typeof value === 'string') return one;
  const [first] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (typeof first === 'string') return texts;
  if (typeof first === 'number') return list;
  return Array.isArray(first) ? lists : other;
});

const stopText = z.string().min(1).max(most.stopChars);
const stop = formOf<string | string[]>((value) => (Array.isArray(value) ? listOf(stopText, most.stops) : z.string({ error: 'stop is a text or a list of texts' }).pipe(stopText)));
/** A field that may stand there as long as it asks for nothing. */
const unsupported = (why: string): z.ZodOptional<z.ZodUnknown> => z.unknown().refine((value) => value === undefined || value === null || value === 0 || value === false, { error: why }).optional();

const sampling = {
  temperature: z.number().min(0).max(100).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.int().min(-1).nullish(),
  seed: z.int().min(-most.seed).max(most.seed).nullish(),
  n: z.int().min(1).max(most.n).nullish(),
  stop: stop.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  ignore_eos: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
  user: z.string().max(most.user).nullish(),
  /** `off`: take no prefix of an earlier request and leave none. `edited`: the prompt will come again with another end; leave a prefix shortly before it as well. */
  cache: z.enum(['on', 'off', 'edited']).nullish(),
  /** `off`: single steps. */
  speculation: z.enum(['auto', 'off']).nullish(),
  /** Accepted drafts round by round, in the usage. */
  return_rounds: z.boolean().nullish(),
  /** The rounds as a capture log, in the usage. */
  return_capture: z.boolean().nullish(),
  /** How every token came, beside the text. */
  return_tokens: z.boolean().nullish(),
  presence_penalty: unsupported('presence_penalty is not supported; leave it out or give 0'),
  frequency_penalty: unsupported('frequency_penalty is not supported; leave it out or give 0'),
  logit_bias: z.record(z.string(), z.unknown()).nullish().refine((bias) => Object.keys(bias ?? {}).length === 0, { error: 'logit_bias is not supported; leave it out' }),
};

export const CompletionRequest = z.object({
  model: z.string().max(4096),
  prompt,
  max_tokens: z.int().min(0).nullish(),
  suffix: text.nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.int().min(0).max(most.logprobs).nullish(),
  best_of: z.int().nullish(),
  ...sampling,
}).refine(({ best_of, n }) => (best_of ?? 1) <= (n ?? 1), { error: 'best_of above n is not supported; leave it out', path: ['best_of'] });
export type CompletionRequest = z.infer<typeof CompletionRequest>;

const Part = z.object({ type: z.literal('text', { error: 'only parts of type text are supported' }), text });

const content = formOf<string | z.infer<typeof Part>[]>((value) => (Array.isArray(value) ? listOf(Part, most.parts) : z.string({ error: 'the content is a text or a list of parts' }).pipe(text)));
const Message = z.object({ role: z.string().min(1).max(64), content: content.nullish() });

export const ChatRequest = z.object({
  model: z.string().max(4096),
  messages: listOf(Message, most.messages).refine((messages) => messages.length > 0, { error: 'there are no messages' }),
  max_tokens: z.int().min(0).nullish(),
  max_completion_tokens: z.int().min(0).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(most.logprobs).nullish(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
  tools: unsupported('tools are not supported; leave them out'),
  response_format: z.object({ type: z.literal('text', { error: 'only the response format text is supported' }) }).nullish(),
  ...sampling,
}).refine(({ top_logprobs, logprobs }) => (top_logprobs ?? 0) === 0 || logprobs === true, { error: 'top_logprobs needs logprobs: true', path: ['top_logprobs'] });
export type ChatRequest = z.infer<typeof ChatRequest>;

export const TokenizeRequest = z.object({ content: text.optional(), prompt: text.optional(), add_special: z.boolean().nullish() });
export const DetokenizeRequest = z.object({ tokens: ids });
