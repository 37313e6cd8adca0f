// What the endpoints take. Fields that would change the answer and are not supported are refused by name; others are ignored, as clients send many.
import { z } from 'zod';

const id = z.int().min(0).max(0xffff_ffff);
const most = { n: 16, stops: 16, stopChars: 1024, logprobs: 20, text: 8_000_000, messages: 4096 } as const;

const text = z.string().max(most.text);
/** A field that may stand there as long as it asks for nothing. */
const unsupported = (why: string): z.ZodOptional<z.ZodUnknown> => z.unknown().refine((value) => value === undefined || value === null || value === 0 || value === false, { error: why }).optional();

const sampling = {
  temperature: z.number().min(0).max(100).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.int().min(-1).nullish(),
  seed: z.int().min(-(2 ** 53)).max(2 ** 53).nullish(),
  n: z.int().min(1).max(most.n).nullish(),
  stop: z.union([z.string().min(1).max(most.stopChars), z.array(z.string().min(1).max(most.stopChars)).max(most.stops)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  ignore_eos: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
  user: z.string().max(256).nullish(),
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
  logit_bias: z.record(z.string(), z.number()).nullish().refine((bias) => Object.keys(bias ?? {}).length === 0, { error: 'logit_bias is not supported; leave it out' }),
};

export const CompletionRequest = z.object({
  model: z.string().max(4096),
  prompt: z.union([text, z.array(text).min(1).max(most.n), z.array(id).min(1), z.array(z.array(id).min(1)).min(1).max(most.n)]),
  max_tokens: z.int().min(0).nullish(),
  suffix: text.nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.int().min(0).max(most.logprobs).nullish(),
  best_of: z.int().nullish(),
  ...sampling,
}).refine(({ best_of, n }) => (best_of ?? 1) <= (n ?? 1), { error: 'best_of above n is not supported; leave it out', path: ['best_of'] });
export type CompletionRequest = z.infer<typeof CompletionRequest>;

const Part = z.object({ type: z.literal('text', { error: 'only parts of type text are supported' }), text });

export const ChatRequest = z.object({
  model: z.string().max(4096),
  messages: z.array(z.object({ role: z.string().min(1).max(64), content: z.union([text, z.array(Part)]).nullish() })).min(1).max(most.messages),
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
export const DetokenizeRequest = z.object({ tokens: z.array(id) });
