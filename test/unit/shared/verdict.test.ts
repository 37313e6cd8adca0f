// Exit codes and summing up.
import { expect, it } from 'vitest';
import { exitCode, gravest, verdictWords } from '../../../src/shared/verdict';

it('gives every word its exit code, and 3 to whatever is incomplete', () => {
  expect(verdictWords.map((word) => [word, exitCode(word, true)])).toEqual([['equal', 0], ['drift', 1], ['tie', 1], ['defect', 1], ['declined', 3], ['void', 3]]);
  expect(verdictWords.map((word) => exitCode(word, false))).toEqual([3, 3, 3, 3, 3, 3]);
});

it('sums up to the gravest', () => {
  expect(gravest([])).toBe('equal');
  expect(gravest(['drift', 'equal', 'tie'])).toBe('tie');
  expect(gravest(['void', 'defect', 'declined'])).toBe('defect');
});
