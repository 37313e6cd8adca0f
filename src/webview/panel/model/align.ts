// Which part of a text belongs to which token. Half characters have no text of their own, and what a stop text or a special token holds back comes late or never.

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

/** The first of the whole tokens from `from` on that `text` holds at `at` or later. */
function nextWhole(waiting: readonly Waiting[], from: number, text: string, at: number): { index: number; at: number } {
  for (let index = from; index < waiting.length; index++) {
    const token = waiting[index];
    const found = token && isWhole(token) ? text.indexOf(token.text, at) : -1;
    if (found >= 0) return { index, at: found };
  }
  return { index: waiting.length, at: text.length };
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
      // Several tokens make one character: it belongs to the last of them, with which it came.
      const next = nextWhole(waiting, i + 1, text, at);
      const group = waiting.slice(i, next.index);
      pieces.push(...group.map((one, k) => ({ token: one.token, text: k === group.length - 1 ? text.slice(at, next.at) : '' })));
      [i, at] = [next.index, next.at];
    }
  }
  return { pieces, waiting: waiting.slice(i) };
}

/** Tokens whose text never came. */
export const left = (waiting: readonly Waiting[]): readonly Piece[] => waiting.filter(({ begun }) => !begun).map(({ token }) => ({ token, text: '' }));
