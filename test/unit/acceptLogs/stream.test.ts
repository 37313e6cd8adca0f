// A log of any size goes through in constant memory, tells how far it is, and can be stopped.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstViolation } from '../../../src/shared/capture';
import type { RunProgress } from '../../../src/shared/engineProtocol';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { Problem } from '../../../src/engine/problem';
import { acceptsLine, diagnosticsLine, summaryLine, threeWith, wholeDiagnostics } from './support';

const megabyte = 1_000_000;
const bytes = 200 * megabyte;
const noise = '2026-09-21T05:11:12.194801Z  INFO server::http: request id=abcdef123456 status=200 path=/v1/completions bytes=123456 elapsed=12.3ms remote=127.0.0.1:50000\n';
const burst = threeWith(-1, {}) + diagnosticsLine(wholeDiagnostics) + acceptsLine([1, 3, 0]) + summaryLine(40, 8);

let folder = '';
let file = '';
let bursts = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-stream-'));
  file = path.join(folder, 'large.log');
  const block = noise.repeat(Math.floor((2 * megabyte) / noise.length)) + burst;
  const handle = await open(file, 'w');
  for (let size = 0; size < bytes; size += block.length, bursts += 1) await handle.writeFile(block);
  await handle.close();
});
afterAll(() => rm(folder, { recursive: true }));

const used = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

describe('a log of 200 MB', () => {
  it('takes seconds and little memory', async () => {
    const before = used();
    const started = performance.now();
    let most = 0;
    const progress: RunProgress[] = [];
    const onProgress = (now: RunProgress): void => {
      most = Math.max(most, used());
      progress.push(now);
    };
    const capture = await importCapture(file, { onProgress });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(most - before).toBeLessThan(120 * megabyte);
    expect(capture.requests).toHaveLength(bursts);
    expect(firstViolation(capture)).toBeNull();
    expect(capture.requests.at(-1)).toMatchObject({ accepted: [1, 3, 0], generatedTokens: 8 });
    expect(progress.at(-1)).toEqual({ text: 'reading the log', done: capture.bytes, total: capture.bytes });
    expect(progress.every(({ done }, i) => done > (progress[i - 1]?.done ?? 0))).toBe(true);
  });

  it('stops when it is asked to', async () => {
    const controller = new AbortController();
    let done = 0;
    const onProgress = (now: RunProgress): void => {
      done = now.done;
      if (done > 20 * megabyte) controller.abort();
    };
    const ended = await importCapture(file, { signal: controller.signal, onProgress }).catch((error: unknown) => error);
    expect(ended).toBeInstanceOf(Problem);
    expect((ended as Problem).data.kind).toBe('cancelled');
    expect(done).toBeLessThan(25 * megabyte);
  });

  it('is not begun when it was stopped before', async () => {
    const ended = await importCapture(file, { signal: AbortSignal.abort() }).catch((error: unknown) => error);
    expect((ended as Problem).data.kind).toBe('cancelled');
  });
});
