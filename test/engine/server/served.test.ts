// A served run that goes on: captured, replayed, and with its engine process killed.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { firstViolation } from '../../../src/shared/capture';
import { cli, sample } from '../product';
import { dflashPath } from '../speculation/support';
import { raw, startModel, startServing, type Serving } from './support';

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

describe.runIf(existsSync('/bin/ps') || existsSync('/usr/bin/ps'))('an engine process that is gone for longer', () => {
  const model = (): string => {
    const copy = path.join(folder, `model-${randomUUID()}`);
    cpSync(sample, copy, { recursive: true });
    return copy;
  };
  const until = (serving: Serving, status: number) => expect.poll(async () => (await raw(serving, 'GET', '/health')).status, { timeout: 20_000 }).toBe(status);

  it('goes on with the capture file of the run behind its last whole line', async () => {
    const file = path.join(folder, 'killed.moire-capture.jsonl');
    const serving = await startServing('--drafter', dflashPath, '--width', '4', '--capture', file, ...exact);
    try {
      const one = await serving.client.completions.create({ ...greedy, prompt: 'const a = ' });
      appendFileSync(file, '{"request":"cut');
      process.kill(engineOf(serving), 'SIGKILL');
      await until(serving, 503);
      await until(serving, 200);
      // Drafts come again when the gate has found them exact again.
      await expect.poll(async () => (JSON.parse((await raw(serving, 'GET', '/health')).body) as { gate: unknown }).gate, { timeout: 20_000 }).not.toBeNull();
      const two = await serving.client.completions.create({ ...greedy, prompt: 'const a = ' });
      await serving.stop();
      const capture = await importCapture(file, {});
      expect([firstViolation(capture), capture.findings]).toEqual([null, []]);
      expect(capture.requests.map(({ request }) => request)).toEqual([`${one.id}-0`, `${two.id}-0`]);
    } finally {
      await serving.stop();
    }
  }, 90_000);

  it('keeps the rounds of a request that runs when the server is told to end', async () => {
    const file = path.join(folder, 'ended.moire-capture.jsonl');
    const serving = await startServing('--drafter', dflashPath, '--width', '4', '--capture', file, ...exact);
    const stream = await serving.client.completions.create({ ...greedy, prompt: 'const a = ', max_tokens: 1500, stream: true });
    let pieces = 0;
    await (async () => {
      for await (const _ of stream) if ((pieces += 1) === 5) await serving.stop();
    })().catch(() => undefined);
    const capture = await importCapture(file, {});
    expect(firstViolation(capture)).toBeNull();
    expect(capture.requests.at(-1)?.facts).toMatchObject({ endReason: 'cancelled' });
  }, 60_000);

  it('is not waited for when the server ends, and a model that has changed meanwhile is not served under its name', async () => {
    const folderOfModel = model();
    const serving = await startModel(folderOfModel);
    const config = path.join(folderOfModel, 'config.json');
    const weights = path.join(folderOfModel, 'model.safetensors');
    const bytes = readFileSync(weights);
    renameSync(config, `${config}.gone`);
    process.kill(engineOf(serving), 'SIGKILL');
    const reason = async (): Promise<string> => (await raw(serving, 'GET', '/health')).body;
    await expect.poll(reason, { timeout: 20_000 }).toContain('holds no config.json');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(weights, bytes);
    renameSync(`${config}.gone`, config);
    await expect.poll(reason, { timeout: 20_000 }).toContain('The model folder holds another model than when this run began');
    expect(await serving.stop()).toBe(0);
  }, 60_000);

  it('is told of as away where it does not answer, and ended with its server', async () => {
    const serving = await startServing();
    const engine = engineOf(serving);
    process.kill(engine, 'SIGSTOP');
    const health = await raw(serving, 'GET', '/health');
    expect([health.status, health.body]).toEqual([503, expect.stringMatching(new RegExp(`"message":"The engine process ${engine} does not answer`)) as string]);
    expect((await raw(serving, 'GET', '/metrics')).body).toMatch(/^moire_engine_up 0$/m);
    expect(await serving.stop()).toBe(0);
    await expect.poll(() => existsSync(`/proc/${engine}`), { timeout: 10_000 }).toBe(false);
  }, 60_000);

  it('answers for weights that were exchanged under it as its own fault, not the client\'s', async () => {
    const folderOfModel = model();
    const serving = await startModel(folderOfModel);
    try {
      utimesSync(path.join(folderOfModel, 'model.safetensors'), new Date(), new Date());
      const { status, body } = await raw(serving, 'POST', '/v1/completions', JSON.stringify({ ...greedy, model: path.basename(folderOfModel), prompt: 'x' }));
      expect([status, JSON.parse(body)]).toMatchObject([500, { error: { type: 'server_error', param: null, message: expect.stringContaining('was modified after it was loaded') as string } }]);
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
      const file = path.join(folder, 'taken.moire-capture.jsonl');
      const taken = await cli('serve', sample, '--port', port, '--capture', file);
      expect(existsSync(file)).toBe(false);
      expect([taken.code, taken.stderr]).toEqual([3, expect.stringMatching(new RegExp(`The port ${port} is taken by ${process.platform === 'linux' ? `the process ${serving.pid} \\(.+\\)` : 'another process'}, a served run of Moire \\(127.0.0.1:${port}\\)\\. Use port \\d+, or 0`)) as string]);
      expect((await raw(serving, 'GET', '/v1/models', undefined, { authorization: '' })).status).toBe(200);
    } finally {
      await serving.stop();
    }
    expect((await cli('serve', '/nonexistent')).code).toBe(2);
    expect((await cli('serve', sample, '--parallel', '0')).code).toBe(2);
    expect((await cli('serve', sample, '--matmul', 'fast')).code).toBe(2);
    expect(await cli('serve', sample, '--port', '70000')).toMatchObject({ code: 2, stderr: expect.stringContaining('Ports go up to 65535') as string });
    for (const token of ['', 'a b', 'ü']) expect(await cli('serve', sample, '--port', '0', `--token=${token}`)).toMatchObject({ code: 2, stderr: expect.stringContaining('--no-token lets anybody in') as string });
  });
});
