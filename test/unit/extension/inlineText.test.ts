// What a ghost text is asked with, and what of an answer is offered.
import { describe, expect, it } from 'vitest';
import { around, offered, restOf, stopsFor, windowOf } from '../../../src/extension/serving/inlineText';

const lines = Array.from({ length: 1000 }, (_, i) => `const value${i} = compute(${i});\n`).join('');
const at = (text: string, offset: number): ReturnType<typeof around> => {
  const { from, to } = windowOf(offset);
  return around(text.slice(from, to), offset - from, from === 0);
};

describe('the text around the cursor', () => {
  it('is all of a short document', () => {
    expect(at('abc\ndef', 5)).toEqual({ prefix: 'abc\nd', suffix: 'ef' });
    expect(at('', 0)).toEqual({ prefix: '', suffix: '' });
  });

  it('begins at a line, and at the same one while one types', () => {
    const first = at(lines, 20_000).prefix;
    expect(first.startsWith('const value')).toBe(true);
    expect(first.length).toBeGreaterThan(5000);
    let begins = new Set<string>();
    for (let typed = 0; typed < 100; typed += 1) begins = begins.add(at(lines, 20_100 + typed).prefix.slice(0, 40));
    expect(begins.size).toBe(1);
  });

  it('is cut in a line that is longer than the window', () => {
    expect(at('x'.repeat(50_000), 30_000).prefix.length).toBeGreaterThan(5000);
  });
});

describe('an answer', () => {
  it('ends at the line where text stands behind the cursor', () => {
    expect(stopsFor({ prefix: 'f(', suffix: ');\nnext' })).toEqual(['\n']);
    expect(stopsFor({ prefix: 'f(', suffix: '  \nnext' })).toEqual(['\n\n\n']);
  });

  it('is offered without a blank end and without what stands behind the cursor', () => {
    expect(offered('a + b;  \n\n', { prefix: '', suffix: '' })).toBe('a + b;');
    expect(offered('  \n ', { prefix: '', suffix: '' })).toBe('');
    expect(offered('a, b) {\n}', { prefix: 'f(', suffix: ') {\n}\n' })).toBe('a, b');
    // One or two characters may be there by chance.
    expect(offered('a)', { prefix: 'f(', suffix: ')' })).toBe('a)');
  });

  it('goes on where what was typed is its beginning', () => {
    const earlier = { document: 'a', prefix: 'let x = ', suffix: '\n', text: 'value + 1;' };
    expect(restOf(earlier, 'a', { prefix: 'let x = val', suffix: '\n' })).toBe('ue + 1;');
    for (const [document, prefix, suffix] of [['b', 'let x = val', '\n'], ['a', 'let x = other', '\n'], ['a', 'let x', '\n'], ['a', 'let x = val', ''], ['a', 'let x = value + 1;', '\n']] as const) {
      expect(restOf(earlier, document, { prefix, suffix })).toBeNull();
    }
    expect(restOf(null, 'a', { prefix: '', suffix: '' })).toBeNull();
  });
});
