// Answers of /v1/completions.
import type { Emitted } from '../engine/serving/request';
import type { Asked } from './asked';
import { cameOf, finishReason, type Shape, type Wanted } from './shape';

/** OpenAI's four lists. `offset`: characters before the first token. The first token of a text has no probability. */
export function logprobsOf(tokens: readonly Emitted[], offset: number): Record<string, unknown> {
  let at = offset;
  const offsets = tokens.map(({ text }) => {
    const own = at;
    at += text.length;
    return own;
  });
  return {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top }) => (top.length === 0 ? null : Object.fromEntries(top.map(({ text, logprob }) => [text, logprob])))),
    text_offset: offsets,
  };
}

export function completionShape(asked: readonly Asked[], wanted: Wanted & { readonly echo: boolean }): Shape {
  const { echo, ids } = wanted;
  const wants = (index: number): boolean => asked[index]?.request.logprobs !== null;
  const promptOf = async (index: number): Promise<string> => (echo ? ((await asked[index]?.prompt.text()) ?? '') : '');
  const idsOf = (index: number, tokens: readonly Emitted[]): Record<string, unknown> => (ids ? { token_ids: tokens.map(({ id }) => id), ...(index >= 0 ? { prompt_token_ids: asked[index]?.prompt.ids ?? [] } : {}) } : {});
  return {
    object: 'text_completion',
    chunkObject: 'text_completion',
    opening: async (index) => (echo ? { index, text: await promptOf(index), logprobs: null, finish_reason: null } : null),
    piece: (index, { tokens, text }, before) => ({ index, text, logprobs: wants(index) ? logprobsOf(tokens, before) : null, finish_reason: null, ...idsOf(-1, tokens), ...cameOf(wanted, tokens) }),
    closing: (index, outcome) => ({ index, text: '', logprobs: null, finish_reason: finishReason(outcome), ...idsOf(index, []) }),
    whole: async (index, { outcome, collected }) => {
      const before = await promptOf(index);
      const tokens = [...(echo ? collected.prompt : []), ...collected.tokens];
      return {
        index,
        text: before + collected.text,
        logprobs: wants(index) ? logprobsOf(tokens, echo ? 0 : before.length) : null,
        finish_reason: finishReason(outcome),
        stop_reason: outcome.stopped,
        ...idsOf(index, collected.tokens),
        ...cameOf(wanted, collected.tokens),
      };
    },
  };
}
