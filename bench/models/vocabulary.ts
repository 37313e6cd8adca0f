// The vocabulary of a byte-level BPE tokenizer.json, as GGUF files want it.
import { readFileSync } from 'node:fs';

interface TokenizerFile {
  readonly model: { readonly vocab: Readonly<Record<string, number>>; readonly merges: readonly (string | readonly [string, string])[] };
  readonly added_tokens: readonly { readonly id: number; readonly content: string; readonly special: boolean }[];
}

export interface Vocabulary {
  readonly tokens: readonly string[];
  /** 1 for a token of text, 3 for one that steers. */
  readonly types: readonly number[];
  readonly merges: readonly string[];
  /** The id of the end of text. */
  readonly end: number;
}

const [plain, control] = [1, 3];

/** The first added token ends a text. */
export function vocabularyOf(file: string): Vocabulary {
  const { model, added_tokens: added } = JSON.parse(readFileSync(file, 'utf8')) as TokenizerFile;
  const tokens: string[] = [];
  const types: number[] = [];
  for (const [text, id] of Object.entries(model.vocab)) [tokens[id], types[id]] = [text, plain];
  for (const { id, content, special } of added) [tokens[id], types[id]] = [content, special ? control : plain];
  return { tokens, types, merges: model.merges.map((pair) => (typeof pair === 'string' ? pair : pair.join(' '))), end: added[0]?.id ?? 0 };
}
