// Which part of a text belongs to which token. Half characters have no text of their own, and what a stop text or a special token holds back comes late or never.
import { append } from '../../../shared/append';

/** Text of a run, with the index of its token; -1 where nobody told of a token. */
export interface Piece {
  readonly token: number;
  readonly text: string;
}

/** A token that was told and whose text did not come yet. */
export interface Waiting extends Piece {
  /** A first part of its text was shown. */
  readonly begun: boolean;
}

/** Stands for bytes that are no whole character. */
const broken = '\ufffd';
const isWhole = ({ text }: Piece): boolean => text !== '' && !text.includes(broken);

/** A run of broken bytes is at least one character, and at most as many as a token can hold. */
const longestRun = 16;

/** Where a token with broken bytes ends in `text`: its whole parts have to be there, what is between them may be any character. `open`: it ends within one. */
function pastBroken(token: string, text: string, from: number, open: boolean): { from: number; open: boolean } {
  for (const part of token.match(/\ufffd+|[^\ufffd]+/g) ?? []) {
    if (part.startsWith(broken)) {
      open = true;
      continue;
    }
    const found = open ? text.slice(from, from + longestRun + part.length).indexOf(part, 1) : text.startsWith(part, from) ? 0 : -1;
    if (found < 0) continue;
    [from, open] = [from + found + part.length, false];
  }
  return { from, open };
}

/** Tokens from `first` on without text of their own, up to the next whole one that `text` holds. A character belongs to the last of its tokens, with which it came. */
function broke(waiting: readonly Waiting[], first: number, text: string, at: number): { pieces: Piece[]; index: number; at: number } {
  const pieces: { token: number; text: string }[] = [];
  let end = { from: at, open: false };
  const close = (index: number, to: number): ReturnType<typeof broke> => {
    const last = pieces.at(-1);
    if (last) last.text += text.slice(end.from, to);
    return { pieces, index, at: to };
  };
  for (let index = first; index < waiting.length; index++) {
    const token = waiting[index];
    if (token === undefined) break;
    const whole = isWhole(token);
    const found = index > first && whole ? text.indexOf(token.text, end.open ? end.from + 1 : end.from) : -1;
    if (found >= 0) return close(index, found);
    const past = whole ? end : pastBroken(token.text, text, end.from, end.open);
    pieces.push({ token: token.token, text: text.slice(end.from, past.from) });
    end = past;
  }
  return close(waiting.length, text.length);
}

/** Lays `text` over the tokens that wait. The pieces, joined, are `text`; tokens without text come as empty pieces. */
export function align(waiting: readonly Waiting[], text: string): { readonly pieces: readonly Piece[]; readonly waiting: readonly Waiting[] } {
  const pieces: Piece[] = [];
  let [i, at] = [0, 0];
  while (at < text.length) {
    const token = waiting[i];
    if (token === undefined) {
      pieces.push({ token: -1, text: text.slice(at) });
      break;
    }
    const rest = text.length - at;
    if (token.text !== '' && text.startsWith(token.text, at)) {
      pieces.push({ token: token.token, text: token.text });
      at += token.text.length;
      i += 1;
    } else if (token.text.length > rest && token.text.startsWith(text.slice(at))) {
      pieces.push({ token: token.token, text: text.slice(at) });
      return { pieces, waiting: [{ token: token.token, text: token.text.slice(rest), begun: true }, ...waiting.slice(i + 1)] };
    } else {
      const group = broke(waiting, i, text, at);
      append(pieces, group.pieces);
      [i, at] = [group.index, group.at];
    }
  }
  return { pieces, waiting: waiting.slice(i) };
}

/** Tokens whose text never came. */
export const left = (waiting: readonly Waiting[]): readonly Piece[] => waiting.filter(({ begun }) => !begun).map(({ token }) => ({ token, text: '' }));
