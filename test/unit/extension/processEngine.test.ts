import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunProgress, RunRequest } from '../../../src/shared/engineProtocol';
import { asProblem, type Problem } from '../../../src/extension/problem';
import { ProcessEngine } from '../../../src/extension/processEngine';

const fake = path.join(import.meta.dirname, 'fakeEngine.mjs');
const never = new AbortController().signal;

function request(model: string): RunRequest {
  const experiment = { kind: 'bisect', model, widths: [2], input: { type: 'ids', ids: [1] }, walk: 0, switches: {} } as const;
  return { experiment: { ...experiment, widths: [2], input: { type: 'ids', ids: [1] } }, library: '', extensionVersion: '0', partialPath: '' };
}

async function failure(work: Promise<unknown>): Promise<Problem> {
  return work.then(() => Promise.reject(new Error('it did not fail')), asProblem);
}

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('it did not come true within 5 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('the engine process', () => {
  let lines: string[];
  let engine: ProcessEngine;
  const start = (timing: Partial<ConstructorParameters<typeof ProcessEngine>[2]> = {}): ProcessEngine => {
    const log = { info: (line: string): void => void lines.push(line), warn: (line: string): void => void lines.push(line) };
    return new ProcessEngine(fake, log, { pingMs: 1000, hangMs: 60_000, idleMs: () => 60_000, ...timing });
  };
  const run = (model: string, signal = never, onProgress: (progress: RunProgress) => void = () => undefined): Promise<unknown> => engine.run(request(model), onProgress, signal);

  beforeEach(() => {
    lines = [];
    engine = start();
  });
  afterEach(() => engine.dispose());

  it('is started by the first call and kept for the next', async () => {
    expect(engine.pid).toBeUndefined();
    const first = await run('answers');
    expect(first).toEqual({ from: engine.pid });
    expect(await run('answers')).toEqual(first);
  });

  it('runs as Node without the options of its parent', async () => {
    process.env['NODE_OPTIONS'] = '--no-warnings';
    try {
      expect((await engine.doctor({ library: '', model: '', extensionVersion: '' })).text).toBe('1 no options');
    } finally {
      delete process.env['NODE_OPTIONS'];
    }
  });

  it('passes progress on and what it prints into the log', async () => {
    const seen: RunProgress[] = [];
    await run('chatty', never, (progress) => seen.push(progress));
    expect(seen).toEqual([{ text: 'half', done: 1, total: 2 }]);
    await until(() => lines.includes('engine stderr: a line for the log'));
  });

  it('hands on the sentence of an error', async () => {
    const problem = await failure(run('refuses'));
    expect(problem.data.kind).toBe('input');
    expect(problem.sentence).toBe('The folder is empty (/models/x). Choose another.');
  });

  it('says by which signal it ended, and the next run starts it again', async () => {
    const problem = await failure(run('dies'));
    expect(problem.data).toMatchObject({ kind: 'engine', title: 'The engine process was ended by SIGKILL' });
    expect(engine.pid).toBeUndefined();
    expect(await run('answers')).toEqual({ from: engine.pid });
  });

  it.each(['obedient', 'deaf', 'hung'])('a cancel returns within 300 ms when the engine is %s', async (model) => {
    const abort = new AbortController();
    await run('answers');
    const before = engine.pid;
    const running = failure(run(model, abort.signal));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const cancelledAt = performance.now();
    abort.abort();
    expect((await running).data.kind).toBe('cancelled');
    expect(performance.now() - cancelledAt).toBeLessThan(300);
    expect(await run('answers')).toEqual({ from: engine.pid });
    expect(engine.pid === before).toBe(model === 'obedient');
  });

  it('is ended when it hangs', async () => {
    engine = start({ pingMs: 100, hangMs: 1500 });
    const problem = await failure(run('hung'));
    expect(problem.data.title).toMatch(/did not answer for \d+ s and was ended/);
    expect(await run('answers')).toEqual({ from: engine.pid });
  });

  it('is not taken for hung while it is at long work', async () => {
    engine = start({ pingMs: 50, hangMs: 1500 });
    await run('answers');
    const abort = new AbortController();
    const running = failure(run('obedient', abort.signal));
    await new Promise((resolve) => setTimeout(resolve, 2500));
    abort.abort();
    expect((await running).data.kind).toBe('cancelled');
  });

  it('goes when it has been idle', async () => {
    engine = start({ idleMs: () => 50 });
    await run('answers');
    await until(() => engine.pid === undefined);
    expect(lines.at(-1)).toMatch(/was idle and is stopped/);
  });

  it('is ended by a restart, also in mid-run', async () => {
    const running = failure(run('deaf'));
    await until(() => engine.pid !== undefined);
    await engine.restart();
    expect((await running).data.title).toBe('The engine process was restarted');
    expect(await run('answers')).toEqual({ from: engine.pid });
  });
});
