import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { code, expectStatus, failure, freeHandle, freeJob, handleIn, importBytes, library, loadModel, openSession, poll, readResult, run, sampleModel, start, wait } from './support';

const state = { queued: 0, running: 1, done: 2, failed: 3, cancelled: 4 };
const spin = (ms: number): number => start(0, { kind: 'selfTest', what: 'spin', ms });
const model = loadModel(sampleModel);
afterAll(() => freeHandle(model));

describe('a job', () => {
  it('runs, shows its progress, and gives its result as often as it is asked', async () => {
    const job = spin(200);
    expectStatus(() => readResult(job), 'E_STATE', 'job');
    await sleep(60);
    const half = poll(job);
    expect(half).toMatchObject({ state: state.running, stage: 'spin', total: 200, status: 0 });
    expect(half.done).toBeGreaterThan(10);
    expect(half.done).toBeLessThan(200);
    expectStatus(() => wait(job, 1), 'E_TIMEOUT', 'timeout_ms');
    wait(job);
    expect(poll(job)).toMatchObject({ state: state.done, done: 200, status: 0 });
    expect(readResult(job)).toEqual(readResult(job));
    freeJob(job);
    expectStatus(() => readResult(job), 'E_HANDLE', 'job');
  });

  it('stops within 50 ms of a cancel, which may come twice and late', () => {
    const job = spin(60_000);
    expectStatus(() => wait(job, 20), 'E_TIMEOUT');
    const begin = performance.now();
    library.call('moire_job_cancel', job);
    library.call('moire_job_cancel', job);
    expectStatus(() => wait(job), 'E_CANCELLED');
    expect(performance.now() - begin).toBeLessThan(50);
    library.call('moire_job_cancel', job);
    expect(poll(job)).toMatchObject({ state: state.cancelled, status: code('E_CANCELLED') });
    expectStatus(() => readResult(job), 'E_CANCELLED');
    freeJob(job);
  });

  it('is freed while it runs', () => {
    const jobs = Array.from({ length: 8 }, () => spin(60_000));
    expectStatus(() => wait(jobs[0]!, 5), 'E_TIMEOUT');
    jobs.forEach(freeJob);
    for (const job of jobs) expectStatus(() => wait(job, 0), 'E_HANDLE');
  });

  it('queues when 64 run, and a queued one is cancelled at once', () => {
    const running = Array.from({ length: 64 }, () => spin(60_000));
    // Workers of earlier jobs may still be on their way; the 64 have begun once all report so.
    const deadline = performance.now() + 5000;
    while (running.some((job) => poll(job).state !== state.running) && performance.now() < deadline) wait2(running[0]!);
    const queued = spin(60_000);
    expect(poll(queued).state).toBe(state.queued);
    library.call('moire_job_cancel', queued);
    expect(poll(queued).state).toBe(state.cancelled);
    freeJob(queued);
    running.forEach(freeJob);
  });

  it.each(['panic', 'startPanic'])('contains a %s with its place', (what) => {
    const error = failure(() => run(0, { kind: 'selfTest', what }));
    expect(error.status).toBe('E_INTERNAL');
    expect(error.where).toMatch(/\.rs:\d+$/);
    expect(error.message).toContain('was asked for');
    expect(run(0, { kind: 'selfTest', what: 'kernels' })['passed']).toBe(true);
  });
});

function wait2(job: number): void {
  library.raw('moire_job_wait', job, 2, null);
}

/** A handle is alive if the kind that it has can use it. */
const sessionAlive = (handle: number): boolean => {
  try {
    run(handle, { kind: 'state', layer: 0 });
    return true;
  } catch {
    return false;
  }
};

describe('handles in results', () => {
  it('belong to the caller once the result was read', () => {
    const job = start(model, { kind: 'open' });
    wait(job);
    const session = handleIn(readResult(job));
    freeJob(job);
    expect(sessionAlive(session)).toBe(true);
    freeHandle(session);
    expect(sessionAlive(session)).toBe(false);
  });

  it('are freed with a job whose result nobody read, also when a read did not fit', () => {
    const job = start(model, { kind: 'open' });
    wait(job);
    const out = new BigUint64Array(1);
    expectStatus(() => library.call('moire_job_result', job, new Uint8Array(4), 4, out), 'E_BUFFER');
    freeJob(job);
    // The counter tells which handle the session had: the one between the job and the next handle.
    const next = importBytes(new Uint8Array(1));
    for (let handle = job; handle < next; handle += 1) expect(sessionAlive(handle)).toBe(false);
    freeHandle(next);
  });

  it('of tensors that a diff uses may be freed while it runs', () => {
    const bytes = new Uint8Array(1 << 20);
    const a = importBytes(bytes);
    bytes[77] = 1;
    const b = importBytes(bytes);
    const job = start(0, { kind: 'diff', pairs: Array.from({ length: 16 }, () => ({ a, b })) });
    freeHandle(a);
    freeHandle(b);
    wait(job);
    const pairs = readResult(job)['pairs'] as { differingBytes: number; first: { index: number } }[];
    freeJob(job);
    expect(pairs).toHaveLength(16);
    for (const { differingBytes, first } of pairs) expect([differingBytes, first.index]).toEqual([1, 77]);
  });
});

describe('sessions', () => {
  const prompt = Array.from({ length: 400 }, (_, i) => (i * 37) % 200);

  it('run one job at a time, and are free again when it ends', () => {
    const session = openSession(model);
    const job = start(session, { kind: 'prefill', ids: prompt });
    expectStatus(() => start(session, { kind: 'fork' }), 'E_BUSY', 'target');
    library.call('moire_job_cancel', job);
    library.raw('moire_job_wait', job, 20_000, null);
    freeJob(job);
    expect(run(session, { kind: 'fork' })).toHaveProperty('handle');
    freeHandle(session);
  });

  it('outlive the handle of their model, and a job outlives the handle of its session', () => {
    const own = loadModel();
    const session = openSession(own);
    freeHandle(own);
    expect(run(session, { kind: 'prefill', ids: [1, 2, 3] })['position']).toEqual([3]);
    const job = start(session, { kind: 'prefill', ids: [4, 5, 6] });
    freeHandle(session);
    wait(job);
    expect(readResult(job)['position']).toEqual([6]);
    freeJob(job);
  });

  it('are all taken by a join, once however often they are named, and it outlives their handles', () => {
    const [a, b] = [openSession(model), openSession(model)];
    run(a, { kind: 'prefill', ids: [1, 2, 3] });
    const busy = start(b, { kind: 'prefill', ids: prompt });
    expectStatus(() => start(a, { kind: 'join', sessions: [a, b] }), 'E_BUSY', '/sessions/1');
    expectStatus(() => start(b, { kind: 'join', sessions: [a] }), 'E_BUSY', 'target');
    library.call('moire_job_cancel', busy);
    library.raw('moire_job_wait', busy, 20_000, null);
    freeJob(busy);
    const job = start(a, { kind: 'join', sessions: [b, a, a] });
    [a, b].forEach(freeHandle);
    wait(job);
    const result = readResult(job);
    expect(result['position']).toEqual([3, 0, 3, 3]);
    freeJob(job);
    expect(run(handleIn(result), { kind: 'decode', ids: [4, 5, 6, 7] })['position']).toEqual([4, 1, 4, 4]);
    freeHandle(handleIn(result));
  });

  it('run side by side, each as if it were alone', () => {
    const ids = (n: number): number[] => prompt.map((id) => (id + n) % 200);
    const digest = (result: Record<string, unknown>): string => JSON.stringify([result['top'], result['position']]);
    const alone = [0, 1, 2].map((n) => {
      const session = openSession(model);
      const result = digest(run(session, { kind: 'prefill', ids: ids(n), top: 8 }));
      freeHandle(session);
      return result;
    });
    const sessions = [0, 1, 2].map(() => openSession(model));
    const jobs = sessions.map((session, n) => start(session, { kind: 'prefill', ids: ids(n), top: 8 }));
    const together = jobs.map((job) => {
      wait(job);
      const result = digest(readResult(job));
      freeJob(job);
      return result;
    });
    sessions.forEach(freeHandle);
    expect(together).toEqual(alone);
    expect(new Set(alone).size).toBe(3);
  });
});

describe('cancel at ten random moments', () => {
  /** The moments of a job of `length` ms, from a fixed seed. */
  const moments = (length: number): number[] => {
    let seed = 0x2545_f491;
    return Array.from({ length: 10 }, () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return (seed / 2 ** 32) * length;
    });
  };
  const spinUntil = (time: number): void => {
    while (performance.now() < time);
  };

  /** Cancels `begin()` at each moment; `after` sees whether it was in time. Every cancelled job ends within 200 ms. */
  function cancelEach(begin: () => number, after: (cancelled: boolean, job: number) => void): number {
    const t0 = performance.now();
    const whole = begin();
    wait(whole);
    const length = performance.now() - t0;
    after(false, whole);
    freeJob(whole);
    let inTime = 0;
    for (const moment of moments(length)) {
      const job = begin();
      spinUntil(performance.now() + moment);
      const asked = performance.now();
      library.call('moire_job_cancel', job);
      const status = Number(library.raw('moire_job_wait', job, 20_000, null));
      expect(performance.now() - asked).toBeLessThan(200);
      expect([0, code('E_CANCELLED')]).toContain(status);
      after(status !== 0, job);
      if (status !== 0) inTime += 1;
      freeJob(job);
    }
    return inTime;
  }

  it('of a load', () => {
    const inTime = cancelEach(
      () => start(0, { kind: 'load', path: sampleModel }),
      (cancelled, job) => {
        if (!cancelled) freeHandle(handleIn(readResult(job)));
      },
    );
    expect(inTime).toBeGreaterThan(0);
  });

  it.each(['prefill', 'verify'])('of a %s, which leaves the session as it was', (kind) => {
    const ids = Array.from({ length: kind === 'prefill' ? 300 : 64 }, (_, i) => (i * 31) % 200);
    const session = openSession(model);
    const before = handleIn(run(session, { kind: 'fork' }));
    const bytesOf = (handle: number): number[] => {
      const { layers } = run(handle, { kind: 'state' }) as { layers: { tensors: { handle: number }[] }[] };
      return layers.flatMap((layer) => layer.tensors.map((tensor) => tensor.handle));
    };
    let current = handleIn(run(before, { kind: 'fork' }));
    const inTime = cancelEach(
      () => start(current, { kind, ids }),
      (cancelled) => {
        if (cancelled) {
          const [a, b] = [bytesOf(before), bytesOf(current)];
          expect(b).toHaveLength(a.length);
          const { pairs } = run(0, { kind: 'diff', pairs: a.map((handle, i) => ({ a: handle, b: b[i] })) }) as { pairs: { equal: boolean }[] };
          expect(pairs.every((pair) => pair.equal)).toBe(true);
          [...a, ...b].forEach(freeHandle);
        }
        freeHandle(current);
        current = handleIn(run(before, { kind: 'fork' }));
      },
    );
    expect(inTime).toBeGreaterThan(0);
    [session, before, current].forEach(freeHandle);
  });
});
