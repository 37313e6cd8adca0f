// From the document of a server to an answer with its tokens, whichever form its log probabilities have.
import type { z } from 'zod';
import type { SpeculationCounters } from '../../shared/serverProfile';
import { firstIssue } from '../../shared/issues';
import { sum } from '../../shared/sum';
import { wrongShape } from './failure';
import { AnswerShape, ContentLogprobs, ListLogprobs, type Choice } from './shapes';

export interface Candidate {
  readonly text: string | null;
  readonly id: number | null;
  readonly logprob: number;
}

/** Null for what the server does not tell. */
export interface Token {
  readonly text: string | null;
  readonly id: number | null;
  readonly logprob: number | null;
  readonly top: readonly Candidate[];
}

export interface Told {
  readonly text: string;
  /** Empty where the server tells nothing of single tokens. With an echo, those of the prompt stand first. */
  readonly tokens: readonly Token[];
  readonly promptIds: readonly number[] | null;
  readonly finish: string;
  readonly fingerprint: string;
  readonly promptTokens: number | null;
  readonly emitted: number | null;
  readonly cachedTokens: number | null;
  readonly together: number | null;
  readonly speculation: SpeculationCounters | null;
}

export function shaped<T>(schema: z.ZodType<T>, value: unknown, what: string, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { place, message } = firstIssue(parsed.error);
  throw wrongShape(what, place === '' ? message : `${place}: ${message}`, where);
}

function tokensOf({ logprobs, token_ids: ids }: Choice, where: string): Token[] {
  const what = 'an answer with log probabilities';
  if (logprobs !== null && logprobs !== undefined && Array.isArray(logprobs['content'])) {
    const { content } = shaped(ContentLogprobs, logprobs, what, where);
    return content.map(({ token, id, logprob, top_logprobs: top }, i) => ({
      text: token ?? null,
      id: id ?? ids?.[i] ?? null,
      logprob,
      top: (top ?? []).map((one) => ({ text: one.token ?? null, id: one.id ?? null, logprob: one.logprob })),
    }));
  }
  if (logprobs !== null && logprobs !== undefined && Array.isArray(logprobs['tokens'])) {
    const { tokens, token_logprobs: values, top_logprobs: top } = shaped(ListLogprobs, logprobs, what, where);
    if (values.length !== tokens.length) throw wrongShape(what, `there are ${tokens.length} tokens and ${values.length} log probabilities`, where);
    const before = tokens.length - (ids?.length ?? 0);
    return tokens.map((text, i) => ({ text, id: ids?.[i - before] ?? null, logprob: values[i] ?? null, top: Object.entries(top?.[i] ?? {}).map(([own, logprob]) => ({ text: own, id: null, logprob })) }));
  }
  return (ids ?? []).map((id) => ({ text: null, id, logprob: null, top: [] }));
}

const orUnknown = (count: number | null | undefined): number => count ?? -1;

/** Counters of this one answer, from whichever field an engine has for them. */
function speculationOf({ usage, timings, metrics, stats }: AnswerShape): SpeculationCounters | null {
  const own = usage?.moire?.map(({ speculation }) => speculation);
  if (own !== undefined) return { from: 'usage.moire', rounds: sum(own.map(({ rounds }) => rounds)), drafted: sum(own.map(({ drafted }) => drafted)), accepted: sum(own.map(({ accepted }) => accepted)) };
  if (typeof timings?.draft_n === 'number') return { from: 'timings.draft_n', rounds: orUnknown(timings.draft_rounds), drafted: timings.draft_n, accepted: orUnknown(timings.draft_n_accepted) };
  const vllm = metrics?.speculative_decoding;
  if (vllm !== null && vllm !== undefined) return { from: 'metrics.speculative_decoding', rounds: orUnknown(vllm.num_spec_steps), drafted: orUnknown(vllm.num_draft_tokens), accepted: orUnknown(vllm.num_accepted_draft_tokens) };
  if (typeof stats?.total_draft_tokens_count === 'number') return { from: 'stats', rounds: -1, drafted: stats.total_draft_tokens_count, accepted: orUnknown(stats.accepted_draft_tokens_count) };
  return null;
}

function countsOf({ usage, timings }: AnswerShape): Pick<Told, 'promptTokens' | 'emitted' | 'cachedTokens' | 'together'> {
  return {
    promptTokens: usage?.prompt_tokens ?? null,
    emitted: usage?.completion_tokens ?? null,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? timings?.cache_n ?? null,
    together: usage?.moire?.[0]?.together ?? null,
  };
}

/** Throws a Problem for what is no answer. */
export function toldBy(document: unknown, where: string): Told {
  const shape = shaped(AnswerShape, document, 'an answer of an OpenAI-compatible server', where);
  const [choice] = shape.choices;
  if (choice === undefined) throw wrongShape('an answer', 'it has no choice', where);
  return {
    text: choice.text ?? choice.message?.content ?? '',
    tokens: tokensOf(choice, where),
    promptIds: choice.prompt_token_ids ?? null,
    finish: choice.finish_reason ?? '',
    fingerprint: shape.system_fingerprint ?? '',
    ...countsOf(shape),
    speculation: speculationOf(shape),
  };
}
