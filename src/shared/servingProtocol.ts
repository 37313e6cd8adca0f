// Names of the RPC methods of a served model, beside those of probes. A request's tokens come as notifications while `generate` is not answered yet.
export const serving = { start: 'serve/start', state: 'serve/state', tokenize: 'serve/tokenize', detokenize: 'serve/detokenize', chat: 'serve/chat', generate: 'serve/generate', delta: 'serve/delta', promptTokens: 'serve/promptTokens' } as const;

/** `request`: the number that `generate` was given. */
export interface Numbered<T> {
  readonly request: number;
  readonly value: T;
}
