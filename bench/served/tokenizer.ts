// A synthetic model has no tokenizer; the server writes text, so this gives it one whose every token is a word of its own.
import { existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A folder with the files of `model` (as links) and a tokenizer beside them. */
export function withTokenizer(model: string, vocab: number): string {
  const folder = `${model}-served`;
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(model)) if (!existsSync(path.join(folder, name))) linkSync(path.join(model, name), path.join(folder, name));
  const words = Object.fromEntries(Array.from({ length: vocab }, (_, id) => [id < 256 ? byteWord(id) : `Ġt${id}`, id]));
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: '', end_of_word_suffix: '', fuse_unk: false, byte_fallback: false, vocab: words, merges: [] },
  };
  writeFileSync(path.join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  return folder;
}

/** The letter that stands for a byte in byte-level vocabularies: printable ones for themselves, the others from U+0100 on, in order. */
function byteWord(byte: number): string {
  const printable = (b: number): boolean => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  if (printable(byte)) return String.fromCharCode(byte);
  return String.fromCharCode(256 + Array.from({ length: byte }, (_, b) => b).filter((b) => !printable(b)).length);
}
