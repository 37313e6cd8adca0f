import { describe, expect, it } from 'vitest';
import { SerialQueue } from '../../../src/extension/serialQueue';

const never = new AbortController().signal;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the queue of runs', () => {
  it('does one at a time, in order, also after a failure', async () => {
    const queue = new SerialQueue();
    const seen: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      seen.push(`${name} starts`);
      await pause(5);
      seen.push(`${name} ends`);
      if (name === 'b') throw new Error('b');
    };
    const all = ['a', 'b', 'c'].map((name) => queue.add(work(name), never));
    expect(queue.size).toBe(3);
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
    expect(queue.size).toBe(0);
  });

  it('lets a waiting one go when it is cancelled, without letting the next one pass', async () => {
    const queue = new SerialQueue();
    const seen: string[] = [];
    const abort = new AbortController();
    const first = queue.add(async () => {
      await pause(40);
      seen.push('first');
    }, never);
    const second = queue.add(() => Promise.resolve(seen.push('second')), abort.signal);
    const third = queue.add(() => Promise.resolve(seen.push('third')), never);
    abort.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(seen).toEqual([]);
    await Promise.all([first, third]);
    expect(seen).toEqual(['first', 'third']);
  });
});
