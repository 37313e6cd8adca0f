// Verbs that compute in one piece, with nothing to keep: Ctrl+C and SIGTERM end them while they do.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, root, startCli } from '../product';

let folder = '';
let report = '';
let log = '';

/** Two million ids a side: seconds of work for whoever reads them. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-interrupt-'));
  const ids = Array.from({ length: 2_000_000 }, (_, i) => i % 1000);
  const [a, b] = [path.join(folder, 'a.json'), path.join(folder, 'b.json')];
  await writeFile(a, JSON.stringify(ids));
  await writeFile(b, JSON.stringify([...ids.slice(0, -1), 3]));
  report = path.join(folder, 'ids.moire.json');
  expect((await cli('ids', a, b, '--out', report)).code).toBe(3);
  log = path.join(folder, 'served.log');
  await writeFile(log, (await readFile(path.join(root, 'test/fixtures/accept-logs/mlxcel/full.log'), 'utf8')).repeat(600));
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
  it.each(['compare', 'record'] as const)('ends moire %s at once', async (verb) => {
    const args = verb === 'compare' ? [verb, report, report] : [verb, report];
    // In the middle of its work, however fast this machine is.
    const whole = performance.now();
    expect((await cli(...args)).code).toBe(0);
    const { child, ended } = startCli(args);
    await wait((performance.now() - whole) / 2);
    const start = performance.now();
    child.kill(signal);
    const { stdout, stderr } = await ended;
    expect([child.signalCode, stdout, stderr]).toEqual([signal, '', '']);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

it.each([600, 900, 1200, 1800, 2400])('moire logs ends soon after a signal %i ms after its start, while it reads or when it has read', async (after) => {
  const { child, ended } = startCli(['logs', log, '--json']);
  await wait(after);
  const start = performance.now();
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  if (code === null) expect(child.signalCode).toBe('SIGINT');
  else if (code === 3) expect(stderr).toContain('cancelled');
  else expect(code).toBe(1);
  expect(performance.now() - start).toBeLessThan(2000);
});
