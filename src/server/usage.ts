// What an answer cost, in OpenAI's fields, and in ours what a comparison needs to know of how it was made.
import type { Outcome } from '../engine/serving/request';
import { sum } from '../shared/sum';
import type { Answer } from './collected';

/** `rounds`: the accepted drafts of every round as well. */
export function usageOf(answers: readonly Answer[], rounds: boolean): Record<string, unknown> {
  const total = (of: (outcome: Outcome) => number): number => sum(answers.map(({ outcome }) => of(outcome)));
  // Choices of one prompt share it.
  const prompts = new Map(answers.map(({ asked, outcome }) => [asked.prompt, outcome]));
  const prompt = sum([...prompts.values()].map(({ promptTokens }) => promptTokens));
  const completion = total(({ emitted }) => emitted);
  const [accepted, drafted] = [total(({ speculation }) => speculation.accepted), total(({ speculation }) => speculation.drafted)];
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: sum([...prompts.values()].map(({ cachedTokens }) => cachedTokens)) },
    completion_tokens_details: { accepted_prediction_tokens: accepted, rejected_prediction_tokens: drafted - accepted },
    moire: answers.map(({ outcome }) => detailsOf(outcome, rounds)),
  };
}

function detailsOf({ speculation, cachedTokens, partition, together, capture, ms }: Outcome, rounds: boolean): Record<string, unknown> {
  const { acceptedPerRound, ...counts } = speculation;
  return { speculation: { ...counts, ...(rounds ? { accepted_per_round: acceptedPerRound } : {}) }, cached_tokens: cachedTokens, partition, together, ...(capture === null ? {} : { capture }), ms };
}
