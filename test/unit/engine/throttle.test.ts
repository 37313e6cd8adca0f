// Progress at a rate that people can read.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttle } from '../../../src/engine/throttle';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('passes the first value at once, then the newest of each interval, and the last with flush', () => {
  const seen: number[] = [];
  const { push, flush } = throttle((value: number) => seen.push(value), 60);
  push(1);
  push(2);
  push(3);
  expect(seen).toEqual([1]);
  vi.advanceTimersByTime(60);
  expect(seen).toEqual([1, 3]);
  vi.advanceTimersByTime(600);
  expect(seen).toEqual([1, 3]);
  push(4);
  push(5);
  flush();
  expect(seen).toEqual([1, 3, 4, 5]);
  vi.advanceTimersByTime(600);
  expect(seen).toEqual([1, 3, 4, 5]);
  expect(vi.getTimerCount()).toBe(0);
});

it('keeps to its rate', () => {
  let count = 0;
  const { push, flush } = throttle(() => (count += 1), 60);
  for (let ms = 0; ms < 1000; ms += 1) {
    push(ms);
    vi.advanceTimersByTime(1);
  }
  flush();
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThan(20);
});
