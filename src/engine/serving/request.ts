// What is asked of a served model, and what comes back. Plain data: it crosses between the engine process and the server.
import { z } from 'zod';
import { limits } from '../../shared/experiment';

const count = z.int().min(0);
const id = z.int().min(0).max(0xffff_ffff);

/** Temperature above 0; a greedy request has none of this. */
export const Sampling = z.object({ temperature: z.number().positive(), topK: count, topP: z.number().positive().max(1), seed: z.int() });

export const GenerateRequest = z.object({
  /** In logs. */
  name: z.string().min(1).max(200),
  prompt: z.array(id).min(1).max(limits.promptIds),
  maxTokens: z.int().min(0),
  /** Null: greedy. */
  sampling: Sampling.nullable(),
  /** Texts that end the answer and are not part of it. */
  stop: z.array(z.string().min(1)),
  ignoreEos: z.boolean(),
  /** Candidates told of every token, null: no probabilities at all. */
  logprobs: count.nullable(),
  /** Probabilities of the prompt's own tokens as well. */
  promptLogprobs: z.boolean(),
  /** Take a prefix of the prompt from an earlier request, and leave this one's for later ones. */
  cache: z.boolean(),
  /** Lengths of the prompt at which a forward shall end, so that later prompts can begin there. */
  cuts: z.array(count).max(16),
  speculate: z.boolean(),
  /** Give back its rounds as a capture log. */
  capture: z.boolean(),
  /** Requests of one client wait behind each other, those of several take turns. */
  client: z.string(),
});
export type GenerateRequest = z.infer<typeof GenerateRequest>;

export const Choice = z.object({ id, text: z.string(), logprob: z.number() });
export type Choice = z.infer<typeof Choice>;

export const origins = ['prompt', 'prefill', 'classic', 'draft', 'bonus'] as const;

export const Emitted = z.object({
  id,
  /** The bytes of this token alone, which need not be whole characters. */
  text: z.string(),
  /** `prefill`: chosen after the prompt. `draft`: proposed and accepted. `bonus`: the target's own choice at the end of a round. `classic`: single steps. */
  origin: z.enum(origins),
  /** Round of speculation, -1 outside. */
  round: z.int(),
  /** Natural logarithm of the probability at temperature 1, null when not asked for. */
  logprob: z.number().nullable(),
  /** Between the two best candidates in logits, null for a single one. */
  margin: z.number().nullable(),
  top: z.array(Choice),
});
export type Emitted = z.infer<typeof Emitted>;

/** Tokens that came together, and the text that is certain after them: an unfinished character or the beginning of a stop text is held back. */
export interface Delta {
  readonly tokens: readonly Emitted[];
  readonly text: string;
}

export const ends = ['stop', 'length', 'cancelled'] as const;

/** One or several forwards that made a state, as many tokens in all. */
export const Piece = z.object({ how: z.enum(['prefill', 'decode', 'verify']), tokens: count });
export type Piece = z.infer<typeof Piece>;

export const Speculation = z.object({
  engaged: z.boolean(),
  /** Why not, or which check let it pass. */
  reason: z.string(),
  /** Rows of a block, 0 without speculation. */
  width: count,
  rounds: count,
  drafted: count,
  accepted: count,
  /** Accepted drafts, round by round. */
  acceptedPerRound: z.array(count),
});
export type Speculation = z.infer<typeof Speculation>;

export const Outcome = z.object({
  end: z.enum(ends),
  /** The stop text that ended it, null: the end of text, or another end. */
  stopped: z.string().nullable(),
  promptTokens: count,
  emitted: count,
  /** Leading tokens of the prompt that came from an earlier request. */
  cachedTokens: count,
  /** The forwards that made the prompt's state, those behind the cache included: a numeric input where kernels are not exact. */
  partition: z.array(Piece),
  speculation: Speculation,
  /** Most requests that ran in one forward with this one, itself included. */
  together: count,
  /** The rounds as a capture log, null where there were none or nobody asked. */
  capture: z.string().nullable(),
  ms: z.object({ queue: z.number(), prefill: z.number(), decode: z.number() }),
});
export type Outcome = z.infer<typeof Outcome>;
