// Texts of two lanes: what they share, and what each says after the fork.
import type { TokenTexts } from '../../../shared/results/parts';
import type { Lane, Token } from '../timeline';

/** Tokens of a lane from a position on. */
export interface TextSpan {
  readonly row: number;
  readonly from: number;
  readonly tokens: readonly Token[];
}

export interface ForkedText {
  readonly common: TextSpan;
  readonly branches: readonly (TextSpan & { readonly name: string })[];
  /** What the texts are, where they are not those of runs that go on by themselves. */
  readonly note: string;
}

/** Ids as tokens; an id without a text reads as its number. */
export function tokensOf(ids: readonly number[], texts: TokenTexts | undefined): Token[] {
  const known = new Map(texts?.ids.map((id, i) => [id, texts.texts[i] ?? '']));
  return ids.map((id) => ({ id, text: known.get(id) ?? `<${id}>` }));
}

/** `at`: where the lanes part; they are of one text until there. */
export function forkedText(lanes: readonly Lane[], at: number | null, note = ''): ForkedText {
  const tokens = lanes[0]?.tokens ?? [];
  return {
    common: { row: 0, from: 0, tokens: tokens.slice(0, at ?? tokens.length) },
    branches: at === null ? [] : lanes.map((lane, row) => ({ name: lane.name, row, from: at, tokens: lane.tokens.slice(at) })),
    note,
  };
}
