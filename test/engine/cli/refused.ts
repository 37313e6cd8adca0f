// What every verb does with input that it cannot take.
import { expect } from 'vitest';
import { cli } from '../product';

/** Each command line ends with 2, an empty standard output, and one sentence on standard error that matches. */
export async function expectRefused(cases: readonly (readonly [args: readonly string[], sentence: RegExp])[]): Promise<void> {
  for (const [args, sentence] of cases) {
    const said = args.join(' ');
    const { code, stdout, stderr } = await cli(...args);
    expect(stderr, said).toMatch(sentence);
    expect(stderr, said).toMatch(/^moire: /);
    expect(stderr.trim().split('\n').length, stderr).toBeLessThan(4);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout, said).toBe('');
    expect(code, said).toBe(2);
  }
}
