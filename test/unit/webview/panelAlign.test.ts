import { describe, expect, it } from 'vitest';
import { align, left, type Piece, type Waiting } from '../../../src/webview/panel/model/align';
import { random } from '../../view/random';

const waiting = (...texts: string[]): Waiting[] => texts.map((text, token) => ({ token, text, begun: false }));
const pieces = (tokens: Waiting[], text: string): (readonly [number, string])[] => align(tokens, text).pieces.map(({ token, text: part }) => [token, part]);

describe('text laid over tokens', () => {
  it('gives each whole token its text', () => {
    expect(pieces(waiting('a', ' b', '\n'), 'a b\n')).toEqual([[0, 'a'], [1, ' b'], [2, '\n']]); // prettier-ignore
  });

  it('gives a character of several tokens to the last of them', () => {
    expect(pieces(waiting('a', '\ufffd', '\ufffd', '\ufffd', 'b'), 'a😀b')).toEqual([[0, 'a'], [1, ''], [2, ''], [3, '😀'], [4, 'b']]); // prettier-ignore
    expect(pieces(waiting('\ufffd', '\ufffd', 'é', '\ufffd the', ' the'), 'ééö the the')).toEqual([[0, ''], [1, 'é'], [2, 'é'], [3, 'ö the'], [4, ' the']]); // prettier-ignore
    expect(pieces(waiting('x\ufffd', '\ufffd'), 'xé')).toEqual([[0, 'x'], [1, 'é']]); // prettier-ignore
  });

  it('gives special tokens no text, wherever they stand', () => {
    expect(pieces(waiting('<think>', 'a', '<|end|>', 'b'), 'ab')).toEqual([[0, ''], [1, 'a'], [2, ''], [3, 'b']]); // prettier-ignore
    const { pieces: none, waiting: rest } = align(waiting('<|end|>'), '');
    expect(none).toEqual([]);
    expect(left(rest)).toEqual([{ token: 0, text: '' }]);
  });

  it('takes text that nobody told a token of, and a text that begins otherwise', () => {
    expect(pieces([], 'plain')).toEqual([[-1, 'plain']]);
    expect(pieces(waiting('a'), 'ab')).toEqual([[0, 'a'], [-1, 'b']]); // prettier-ignore
    expect(pieces(waiting(' Hello', ' you'), 'Hello you')).toEqual([[0, 'Hello'], [1, ' you']]); // prettier-ignore
  });

  it('shows the first part of a token whose end is held back, and nothing of it twice', () => {
    const first = align(waiting('foo\nUser'), 'foo');
    expect(first.pieces).toEqual([{ token: 0, text: 'foo' }]);
    expect(left(first.waiting)).toEqual([]);
    expect(align([...first.waiting, { token: 1, text: '!', begun: false }], '\nUser!').pieces).toEqual([
      { token: 0, text: '\nUser' },
      { token: 1, text: '!' },
    ]);
  });

  it('takes a broken character as it stands, when it is one', () => {
    expect(pieces(waiting('a', '\ufffd'), 'a\ufffd')).toEqual([[0, 'a'], [1, '\ufffd']]); // prettier-ignore
  });
});

/** Tokens of random bytes, cut anywhere, and the deltas a server would send of them. */
function streamOf(seed: number): { texts: string[]; deltas: { count: number; text: string }[] } {
  const dice = random(seed);
  const bytes = Buffer.from(Array.from({ length: 40 }, () => dice.pick(['a', ' the', '\n', 'é', '漢', '😀', '  ', 'null'])).join(''));
  const cuts = [0, ...new Set(Array.from({ length: 60 }, () => dice.whole(1, bytes.length))), bytes.length].sort((a, b) => a - b);
  const texts: string[] = [];
  const deltas: { count: number; text: string }[] = [];
  let [given, count] = [0, 0];
  for (const [i, to] of cuts.entries()) {
    const from = cuts[i - 1];
    if (from === undefined) continue;
    texts.push(bytes.subarray(from, to).toString('utf8'));
    count += 1;
    const all = bytes.subarray(0, to).toString('utf8');
    if (dice.next() < 0.4 && to < bytes.length) continue;
    const text = all.endsWith('\ufffd') ? '' : all.slice(given);
    deltas.push({ count, text });
    [given, count] = [given + text.length, 0];
  }
  return { texts, deltas };
}

describe('a stream of deltas', () => {
  it.each(Array.from({ length: 50 }, (_, seed) => seed))('keeps text and order of tokens, seed %i', (seed) => {
    const { texts, deltas } = streamOf(seed);
    const shown: Piece[] = [];
    let [rest, taken]: [readonly Waiting[], number] = [[], 0];
    for (const { count, text } of deltas) {
      const told = texts.slice(taken, taken + count).map((one, i) => ({ token: taken + i, text: one, begun: false }));
      taken += count;
      const next = align([...rest, ...told], text);
      shown.push(...next.pieces);
      rest = next.waiting;
    }
    shown.push(...left(rest));
    expect(shown.map(({ text }) => text).join('')).toBe(deltas.map(({ text }) => text).join(''));
    expect(shown.map(({ token }) => token)).toEqual(texts.map((_, i) => i));
  });
});
