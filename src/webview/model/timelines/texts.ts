// Texts of two lanes: what they share, and what each says after the fork.
import type { TokenTexts } from '../../../shared/results/parts';
import type { Lane, Token } from '../timeline';

export interface ForkedText {
  readonly common: string;
  readonly branches: readonly { readonly name: string; readonly rest: string }[];
}

/** Ids as tokens; an id without a text reads as its number. */
export function tokensOf(ids: readonly number[], texts: TokenTexts | undefined): Token[] {
  const known = new Map(texts?.ids.map((id, i) => [id, texts.texts[i] ?? '']));
  return ids.map((id) => ({ id, text: known.get(id) ?? `<${id}>` }));
}

/** `at`: where the lanes part; they are of one text until there. */
export function forkedText(lanes: readonly Lane[], at: number | null): ForkedText {
  const joined = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');
  const [first] = lanes;
  const length = at ?? first?.tokens.length ?? 0;
  return { common: joined(first?.tokens.slice(0, length) ?? []), branches: at === null ? [] : lanes.map(({ name, tokens }) => ({ name, rest: joined(tokens.slice(at)) })) };
}
