import { describe, expect, it } from 'vitest';
import { duration, ProgressText } from '../../../src/extension/runProgress';

describe('the text of a running notification', () => {
  it('is renewed at most ten times a second, but always at the end', () => {
    const text = new ProgressText(0);
    expect(text.next({ text: 'a', done: 0, total: 10 }, 1000)?.message).toBe('a');
    expect(text.next({ text: 'b', done: 1, total: 10 }, 1050)).toBeUndefined();
    expect(text.next({ text: 'c', done: 2, total: 10 }, 1100)).toEqual({ message: 'c', increment: 20 });
    expect(text.next({ text: 'd', done: 10, total: 10 }, 1101)).toEqual({ message: 'd', increment: 80 });
  });

  it('estimates what is left once that means something', () => {
    const text = new ProgressText(0);
    expect(text.next({ text: 'a', done: 1, total: 4 }, 1000)?.message).toBe('a');
    expect(text.next({ text: 'b', done: 1, total: 4 }, 3000)?.message).toBe('b · about 9 s left');
  });

  it('never goes back', () => {
    const text = new ProgressText(0);
    text.next({ text: 'a', done: 5, total: 10 }, 1000);
    expect(text.next({ text: 'b', done: 1, total: 10 }, 2000)?.increment).toBe(0);
  });

  it('writes durations', () => {
    expect([0, 8400, 61_000, 3_900_000].map(duration)).toEqual(['1 s', '8 s', '1 min 1 s', '1 h 5 min']);
  });
});
