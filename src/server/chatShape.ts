// Answers of /v1/chat/completions.
import type { Choice, Emitted } from '../engine/serving/request';
import type { Asked } from './asked';
import { cameOf, finishReason, type Shape, type Wanted } from './shape';

const tokenOf = ({ text, logprob }: Pick<Choice, 'text'> & { readonly logprob: number | null }): Record<string, unknown> => ({ token: text, logprob, bytes: [...Buffer.from(text)] });

const logprobsOf = (tokens: readonly Emitted[]): Record<string, unknown> => ({ content: tokens.map((token) => ({ ...tokenOf(token), top_logprobs: token.top.map(tokenOf) })), refusal: null });

export function chatShape(asked: readonly Asked[], wanted: Wanted): Shape {
  const { ids } = wanted;
  const logprobs = (index: number, tokens: readonly Emitted[]): Record<string, unknown> | null => (asked[index]?.request.logprobs === null ? null : logprobsOf(tokens));
  const idsOf = (tokens: readonly Emitted[]): Record<string, unknown> => (ids ? { token_ids: tokens.map(({ id }) => id) } : {});
  const promptIds = (index: number): Record<string, unknown> => (ids ? { prompt_token_ids: asked[index]?.prompt.ids ?? [] } : {});
  return {
    object: 'chat.completion',
    chunkObject: 'chat.completion.chunk',
    opening: (index) => Promise.resolve({ index, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }),
    piece: (index, { tokens, text }) => ({ index, delta: { content: text }, logprobs: logprobs(index, tokens), finish_reason: null, ...idsOf(tokens), ...cameOf(wanted, tokens) }),
    closing: (index, outcome) => ({ index, delta: {}, logprobs: null, finish_reason: finishReason(outcome), ...promptIds(index) }),
    whole: (index, { outcome, collected }) =>
      Promise.resolve({
        index,
        message: { role: 'assistant', content: collected.text, refusal: null },
        logprobs: logprobs(index, collected.tokens),
        finish_reason: finishReason(outcome),
        stop_reason: outcome.stopped,
        ...idsOf(collected.tokens),
        ...promptIds(index),
        ...cameOf(wanted, collected.tokens),
      }),
  };
}
