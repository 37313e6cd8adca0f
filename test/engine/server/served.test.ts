// A served run that goes on: captured, replayed, and with its engine process killed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { firstViolation } from '../../../src/shared/capture';
import { cli, sample } from '../product';
import { dflashPath } from '../speculation/support';
import { raw, startServing, type Serving } from './support';

const exact = ['--matmul', 'exact', '--attention', 'exact'];
const greedy = { model: 'target-4bit', temperature: 0, max_tokens: 24, ignore_eos: true };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'moire-served-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('--capture', () => {
  it('keeps the rounds of twenty requests, which hold together and replay to equal', async () => {
    const file = path.join(folder, 'run.moire-capture.jsonl');
    const serving = await startServing('--drafter', dflashPath, '--width', '4', '--capture', file, ...exact);
    try {
      const prompts = Array.from({ length: 20 }, (_, i) => `function number${i}(x: number) {`);
      const answers = await Promise.all(prompts.map((prompt) => serving.client.completions.create({ ...greedy, prompt })));
      const capture = await importCapture(file, {});
      expect(firstViolation(capture)).toBeNull();
      expect(capture).toMatchObject({ engine: 'moire', grade: 'A' });
      expect(new Set(capture.requests.map(({ request }) => request))).toEqual(new Set(answers.map(({ id }) => `${id}-0`)));
      const longest = capture.requests.reduce((most, one) => ((one.roundCount ?? 0) > (most.roundCount ?? 0) ? one : most));
      const replay = await cli('replay', sample, '--log', file, '--request', longest.request!, '--fill', 'wrong,logged', '--json', ...exact);
      expect(JSON.parse(replay.stdout)).toMatchObject({ verdict: { word: 'equal' }, replay: { rounds: longest.roundCount, log: { findings: [], notes: [] } } });
    } finally {
      expect(await serving.stop()).toBe(0);
    }
    const again = await cli('serve', sample, '--port', '0', '--capture', file);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('The capture file is there already') as string]);
  });
});

/** The engine process of a server: the child that Node forked. */
function engineOf({ pid }: Serving): number {
  const [child] = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)]).toString().trim().split(/\s+/);
  return Number(child);
}

describe.runIf(existsSync('/bin/ps') || existsSync('/usr/bin/ps'))('an engine process that is killed', () => {
  it('ends streams with an error, is away for a moment, and comes back', async () => {
    const serving = await startServing('--drafter', dflashPath, '--width', '4', ...exact);
    try {
      const stream = await serving.client.completions.create({ ...greedy, prompt: 'const a = ', max_tokens: 1500, stream: true });
      const thrown = await (async () => {
        let pieces = 0;
        for await (const _ of stream) if ((pieces += 1) === 3) process.kill(engineOf(serving), 'SIGKILL');
        return null;
      })().catch((error: unknown) => error);
      expect(String(thrown)).toContain('The engine process was ended by SIGKILL');
      const statuses: number[] = [];
      const started = Date.now();
      while (statuses.at(-1) !== 200 && Date.now() - started < 20_000) {
        statuses.push((await raw(serving, 'POST', '/v1/completions', JSON.stringify({ ...greedy, prompt: 'x', max_tokens: 1 }))).status);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(statuses.at(-1)).toBe(200);
      expect(new Set(statuses.slice(0, -1))).toEqual(new Set([503]));
    } finally {
      await serving.stop();
    }
  }, 60_000);
});

describe('a start', () => {
  it('says what takes the port, what is no model, and what the options may be', async () => {
    const serving = await startServing('--no-token');
    try {
      const { port } = new URL(serving.url);
      const taken = await cli('serve', sample, '--port', port);
      expect([taken.code, taken.stderr]).toEqual([3, expect.stringMatching(new RegExp(`The port ${port} is taken by ${process.platform === 'linux' ? `the process ${serving.pid} \\(.+\\)` : 'another process'}, a served run of Moire \\(127.0.0.1:${port}\\)\\. Use port \\d+, or 0`)) as string]);
      expect((await raw(serving, 'GET', '/v1/models', undefined, { authorization: '' })).status).toBe(200);
    } finally {
      await serving.stop();
    }
    expect((await cli('serve', '/nonexistent')).code).toBe(2);
    expect((await cli('serve', sample, '--parallel', '0')).code).toBe(2);
    expect((await cli('serve', sample, '--matmul', 'fast')).code).toBe(2);
  });
});
