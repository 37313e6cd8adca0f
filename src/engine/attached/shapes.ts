// Answers of OpenAI-compatible servers, as far as they are looked at. Unknown fields pass; known ones have to be what they are.
import { z } from 'zod';
import { listOf, recordOf } from '../../shared/firstFault';

/** Servers print -9999 or null for a probability of zero. More than 0 is no logarithm of a probability; a rounding error of it is let through. */
const logprob = z.number().max(1e-3, { error: 'a log probability is not above 0' });
const id = z.int().min(0).max(0xffff_ffff);
const tokenCount = z.int().min(0).max(1e9);

const Candidate = z.object({ token: z.string().optional(), id: id.optional(), logprob });

/** As in chat completions; some servers give it for completions too, and some without the texts. */
export const ContentLogprobs = z.object({ content: listOf(Candidate.extend({ logprob: logprob.nullable(), top_logprobs: listOf(Candidate).nullish() })) });

/** As in completions. */
export const ListLogprobs = z.object({
  tokens: listOf(z.string()),
  token_logprobs: listOf(logprob.nullable()),
  top_logprobs: listOf(recordOf(logprob).nullable()).nullish(),
});

const Choice = z.object({
  text: z.string().optional(),
  message: z.object({ content: z.string().nullish() }).optional(),
  finish_reason: z.string().nullish(),
  /** One of the two above, looked at by itself so that a fault in it is named. */
  logprobs: z.record(z.string(), z.unknown()).nullish(),
  token_ids: listOf(id).nullish(),
  prompt_token_ids: listOf(id).nullish(),
});
export type Choice = z.infer<typeof Choice>;

export const AnswerShape = z.object({
  choices: listOf(Choice).refine((choices) => choices.length > 0, { error: 'it has no choice' }),
  system_fingerprint: z.string().nullish(),
  usage: z
    .object({
      prompt_tokens: tokenCount.nullish(),
      completion_tokens: tokenCount.nullish(),
      prompt_tokens_details: z.object({ cached_tokens: tokenCount.nullish() }).nullish(),
      moire: listOf(z.object({ together: tokenCount, speculation: z.object({ rounds: tokenCount, drafted: tokenCount, accepted: tokenCount }) })).optional(),
    })
    .nullish(),
  /** llama-server, mlxcel, mlx-vlm. */
  timings: z.object({ cache_n: tokenCount.nullish(), draft_n: tokenCount.nullish(), draft_n_accepted: tokenCount.nullish(), draft_rounds: tokenCount.nullish() }).nullish(),
  /** vLLM, with --per-request-spec-decode-metrics. */
  metrics: z.object({ speculative_decoding: z.object({ num_spec_steps: tokenCount.nullish(), num_draft_tokens: tokenCount.nullish(), num_accepted_draft_tokens: tokenCount.nullish() }).nullish() }).nullish(),
  /** LM Studio. */
  stats: z.object({ total_draft_tokens_count: tokenCount.nullish(), accepted_draft_tokens_count: tokenCount.nullish() }).nullish(),
});
export type AnswerShape = z.infer<typeof AnswerShape>;

export const ModelsShape = z.object({
  data: listOf(z.object({ id: z.string().min(1).max(1024), owned_by: z.string().nullish(), max_model_len: tokenCount.nullish(), context_length: tokenCount.nullish(), meta: z.object({ n_ctx: tokenCount.nullish() }).nullish(), moire: z.object({ context: tokenCount }).optional() })),
});
export type ModelsShape = z.infer<typeof ModelsShape>;

/** llama-server and Moire, vLLM and SGLang. */
export const TokensShape = z.object({ tokens: listOf(id) });
