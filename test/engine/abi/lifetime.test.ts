// Memory over a thousand cycles, and the safety net under handles that nobody closed.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';
import { expectStatus, freeHandle, freeJob, handleIn, importBytes, importFloats, library, loadDrafter, loadModel, openDraft, openSession, run, smallModel, start } from './support';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const rss = (): number => {
  collect();
  return process.memoryUsage.rss();
};

const cycles = 1000;
/** The tiny model takes about 1 MB with its session: leaking one of every hundred would show. Allocators and thread stacks wander by a few MB. */
const margin = 12 << 20;

function growth(cycle: () => void): number {
  // Arenas of the allocator fill up first.
  for (let i = 0; i < 500; i += 1) cycle();
  const before = rss();
  for (let i = 0; i < cycles; i += 1) cycle();
  return rss() - before;
}

describe(`${cycles} cycles grow the process by less than ${margin >> 20} MiB`, () => {
  it('of load, open, prefill, join, fork, close', () => {
    const grown = growth(() => {
      const model = loadModel();
      const session = openSession(model);
      const step = run(session, { kind: 'prefill', ids: [1, 2, 3], taps: ['*'] }) as { logits: { handle: number }; taps: { handle: number }[] };
      const joined = handleIn(run(session, { kind: 'join', sessions: [session] }));
      const row = handleIn(run(joined, { kind: 'fork', rows: [1] }));
      [step.logits.handle, ...step.taps.map((tap) => tap.handle), row, joined, session, model].forEach(freeHandle);
    });
    expect(grown).toBeLessThan(margin);
  }, 240_000);

  it('of a drafter with its draft, a fork, a join, an observation and a proposal', () => {
    const model = loadModel();
    const features = [1, 2, 3].map(() => importFloats([2, 128], Array<number>(256).fill(0.5)));
    const grown = growth(() => {
      const drafter = loadDrafter(model);
      const draft = openDraft(drafter);
      run(draft, { kind: 'observe', features, rows: [[0, 2]], next: [[5, 6]] });
      const fork = handleIn(run(draft, { kind: 'forkDraft' }));
      const { logits } = run(fork, { kind: 'propose', width: 4, logits: true }) as { logits: { handle: number } };
      const joined = handleIn(run(draft, { kind: 'joinDraft', drafts: [fork] }));
      [logits.handle, joined, fork, draft, drafter].forEach(freeHandle);
    });
    [...features, model].forEach(freeHandle);
    expect(grown).toBeLessThan(margin);
  }, 240_000);

  it('of jobs that are freed unread, while they run or after', () => {
    const model = loadModel();
    let n = 0;
    const grown = growth(() => {
      const jobs = [start(model, { kind: 'open' }), start(0, { kind: 'load', path: smallModel }), start(0, { kind: 'selfTest', what: 'spin', ms: 5000 })];
      n += 1;
      if (n % 2 === 0) library.raw('moire_job_wait', jobs[1]!, 5000, null);
      jobs.forEach(freeJob);
    });
    freeHandle(model);
    expect(grown).toBeLessThan(margin);
  }, 240_000);

  it('of 1 MiB tensors', () => {
    const bytes = new Uint8Array(1 << 20);
    expect(growth(() => freeHandle(importBytes(bytes)))).toBeLessThan(margin);
  });
});

describe('handles that nobody closed', () => {
  it('are freed when their owner is collected', async () => {
    const engine = await NativeEngine.load();
    const handles = (() => [1, 2, 3].map((n) => engine.import('u8', [n], new Uint8Array(n)).handle))();
    const alive = (handle: number): boolean => library.raw('moire_tensor_info', handle, library.struct('moire_tensor_desc').bytes, null) === 0;
    expect(handles.map(alive)).toEqual([true, true, true]);
    for (let i = 0; i < 100 && handles.some(alive); i += 1) {
      collect();
      await sleep(10);
    }
    expect(handles.map(alive)).toEqual([false, false, false]);
  });

  it('are not freed a second time after close', async () => {
    const engine = await NativeEngine.load();
    const tensor = engine.import('u8', [1], new Uint8Array(1));
    tensor.close();
    tensor.close();
    expectStatus(() => freeHandle(tensor.handle), 'E_HANDLE');
    expect((await tensor.read().catch((error: unknown) => error)) as Error).toMatchObject({ status: 'E_HANDLE' });
  });
});
