// How engines differ in what they take, each told once. What an engine does not know by name it may refuse, so nothing is sent to it.
import type { ServerEngine } from '../../shared/serverProfile';

type Fields = Readonly<Record<string, unknown>>;

export interface Dialect {
  /** Fields that keep a request from using and leaving cached prefixes, and what they are called in a report. Null: none is known. */
  readonly cacheOff: { readonly fields: (salt: string) => Fields; readonly how: string } | null;
  /** Fields that ask for token ids. */
  readonly ids: Fields;
  /** Fields that go on past the end of text. */
  readonly ignoreEnd: Fields | null;
  /** How completions are asked for log probabilities. */
  readonly logprobs: (candidates: number) => Fields;
  /** Whether a list of token ids can be a prompt. */
  readonly idPrompts: boolean;
  /** What has to be known when its answers are read. */
  readonly notes: readonly string[];
}

const counted = (candidates: number): Fields => ({ logprobs: candidates });
const plain: Dialect = { cacheOff: null, ids: {}, ignoreEnd: null, logprobs: counted, idPrompts: false, notes: [] };
const salted = { fields: (salt: string): Fields => ({ cache_salt: salt }), how: 'cache_salt, another one for every request: no prefix of another request fits' };

export const dialects: Readonly<Record<ServerEngine, Dialect>> = {
  moire: { ...plain, cacheOff: { fields: (): Fields => ({ cache: 'off' }), how: 'cache: "off"' }, ids: { return_token_ids: true }, ignoreEnd: { ignore_eos: true }, idPrompts: true },
  'llama-server': { ...plain, cacheOff: { fields: () => ({ cache_prompt: false }), how: 'cache_prompt: false' }, ignoreEnd: { ignore_eos: true }, idPrompts: true },
  vllm: { ...plain, cacheOff: salted, ids: { return_token_ids: true }, ignoreEnd: { ignore_eos: true }, idPrompts: true },
  sglang: { ...plain, cacheOff: salted, ignoreEnd: { ignore_eos: true }, idPrompts: true },
  'mlx-lm': {
    ...plain,
    // With candidates it tells the first of an unsorted list as the token, so they are not asked for.
    logprobs: () => ({ logprobs: true }),
    notes: ['mlx-lm tells ids and log probabilities, but candidates in no order, the first of them in place of the chosen token (0.32): they are not asked for, so margins are unknown.'],
  },
  mlxcel: plain,
  ollama: plain,
  'lm-studio': plain,
  tgi: plain,
  unknown: plain,
};

/** Chat has one form for all but mlx-lm. */
export function chatLogprobs(engine: ServerEngine, candidates: number): Fields {
  return engine === 'mlx-lm' ? { logprobs: true } : { logprobs: true, top_logprobs: candidates };
}
