// What is asked of a served model, and what comes back. Plain data: it crosses between the engine process and the server, and is checked on the way in.
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

export interface Choice {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
}

export interface Emitted {
  readonly id: number;
  /** The bytes of this token alone, which need not be whole characters. */
  readonly text: string;
  /** `prefill`: chosen after the prompt. `draft`: proposed and accepted. `bonus`: the target's own choice at the end of a round. `classic`: single steps. */
  readonly origin: 'prompt' | 'prefill' | 'classic' | 'draft' | 'bonus';
  /** Round of speculation, -1 outside. */
  readonly round: number;
  /** Natural logarithm of the probability at temperature 1, null when not asked for. */
  readonly logprob: number | null;
  /** Between the two best candidates in logits, null for a single one. */
  readonly margin: number | null;
  readonly top: readonly Choice[];
}

/** Tokens that came together, and the text that is certain after them: an unfinished character or the beginning of a stop text is held back. */
export interface Delta {
  readonly tokens: readonly Emitted[];
  readonly text: string;
}

/** One or several forwards that made a state, as many tokens in all. */
export interface Piece {
  readonly how: 'prefill' | 'decode' | 'verify';
  readonly tokens: number;
}

export interface Speculation {
  readonly engaged: boolean;
  /** Why not, or which check let it pass. */
  readonly reason: string;
  /** Rows of a block, 0 without speculation. */
  readonly width: number;
  readonly rounds: number;
  readonly drafted: number;
  readonly accepted: number;
  /** Accepted drafts, round by round. */
  readonly acceptedPerRound: readonly number[];
}

export interface Outcome {
  readonly end: 'stop' | 'length' | 'cancelled';
  /** The stop text that ended it, null: the end of text, or another end. */
  readonly stopped: string | null;
  readonly promptTokens: number;
  readonly emitted: number;
  /** Leading tokens of the prompt that came from an earlier request. */
  readonly cachedTokens: number;
  /** The forwards that made the prompt's state, those behind the cache included: a numeric input where kernels are not exact. */
  readonly partition: readonly Piece[];
  readonly speculation: Speculation;
  /** Most requests that ran in one forward with this one, itself included. */
  readonly together: number;
  /** The rounds as a capture log, null where there were none or nobody asked. */
  readonly capture: string | null;
  readonly ms: { readonly queue: number; readonly prefill: number; readonly decode: number };
}
