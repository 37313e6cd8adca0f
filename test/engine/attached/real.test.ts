// Servers of others, really started: mlx-lm on the sample, llama.cpp on a synthetic model with the tokenizer of the sample. They run where `node scripts/servers.mjs` has set them up.
// With MOIRE_RECORD=1 what the servers say is kept for transcripts.test.ts.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureModel } from '../../../bench/models/generate';
import { tinyDense } from '../../../bench/models/shape';
import { ProbeHost } from '../../../src/engine/host';
import { servedPresets, servedPrompts } from '../../../src/shared/servedPresets';
import { root, sample } from '../product';
import { answersOf, without } from './support';
import { recording } from './transcripts';

const folder = path.join(root, '.moire/servers');
const python = (name: string): string => path.join(folder, name, 'bin/python');
const running: ChildProcess[] = [];
afterAll(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Starts a server and waits until it answers. */
async function start(name: string, args: (port: number) => string[]): Promise<string> {
  const port = await freePort();
  mkdirSync(path.join(folder, 'hub'), { recursive: true });
  const child = spawn(python(name), args(port), { stdio: 'ignore', env: { ...process.env, HF_HUB_OFFLINE: '1', HF_HUB_CACHE: path.join(folder, 'hub') } });
  running.push(child);
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    if ((await fetch(`${url}/health`).catch(() => null))?.ok === true) return url;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${name} does not answer`);
}

/** What `work` makes the server say, in a file of the fixtures where that is asked for. */
async function recorded(url: string, name: string, from: string, work: (url: string) => Promise<void>): Promise<void> {
  if (process.env['MOIRE_RECORD'] !== '1') return work(url);
  const proxy = await recording(url, (text) => text.replaceAll(root, '/models'));
  await work(proxy.url);
  proxy.save(path.join(root, 'test/fixtures/servers', `${name}.json`), from);
  await proxy.close();
}

const few = { prompts: servedPrompts.slice(0, 2), tokens: 12 };
const one = { prompts: servedPrompts.slice(1, 2), tokens: 6 };

// Skipped where it is not set up: node scripts/servers.mjs
describe.runIf(existsSync(python('mlx-lm')))('mlx-lm', () => {
  it('is recognised, repeats itself, and is compared with the same weights in the built-in engine', async () => {
    const url = await start('mlx-lm', (port) => ['-m', 'mlx_lm', 'server', '--model', sample, '--host', '127.0.0.1', '--port', String(port)]);
    await recorded(url, 'mlx-lm', 'mlx-lm 0.32.2 on samples/target-4bit, recorded', async (base) => {
      const profile = await without.attach({ url: base, model: '', token: '' });
      expect(profile).toMatchObject({ engine: 'mlx-lm', version: '0.32.2' });
      const server = { url: base, model: '' };
      const repeats = await answersOf({ ...servedPresets.repeat(server), ...one, times: 2 });
      expect(repeats).toMatchObject({ verdict: { word: 'equal' }, answers: { pairs: [{ unit: 'tokens', logprobs: { compared: 6 } }] } });
    });
    const host = new ProbeHost('cli');
    const report = await answersOf({ ...servedPresets.servers({ url, model: '' }), ...one, other: { type: 'model', folder: sample, switches: {} } }, {}, {}, host);
    await host.close();
    // The same weights in other kernels: the texts begin alike, the probabilities are near and not equal.
    for (const { common, logprobs } of report.answers.pairs) {
      expect(common).toBeGreaterThan(3);
      expect(Number(logprobs.largest)).toBeGreaterThan(0);
      expect(Number(logprobs.largest)).toBeLessThan(1);
    }
  }, 480_000);
});

describe.runIf(existsSync(python('llama-cpp')))('llama.cpp', () => {
  it('is recognised, has its cache switched off, is rescored token by token, and is compared with the same weights', async () => {
    const { gguf, mlx } = ensureModel(path.join(folder, 'models'), { ...tinyDense, name: 'tiny-text', vocab: 4096, tokenizer: path.join(sample, 'tokenizer.json') });
    const url = await start('llama-cpp', (port) => [path.join(import.meta.dirname, 'llamaServer.py'), gguf.q4_1, String(port)]);
    await recorded(url, 'llama-server', 'llama.cpp (xllamacpp 2026.10.11549) on a synthetic model, recorded', async (base) => {
      const profile = await without.attach({ url: base, model: '', token: '' });
      expect(profile).toMatchObject({ engine: 'llama-server', models: ['tiny-text'], context: 2048 });
      expect(profile.capabilities).toContainEqual({ name: 'cache off', state: 'yes', detail: 'cache_prompt: false' });
      const server = { url: base, model: '' };
      const repeats = await answersOf({ ...servedPresets.repeat(server), ...one, times: 2 });
      expect(repeats.verdict.word).toBe('equal');
    });
    const { answers } = await answersOf({ ...servedPresets.rescore({ url, model: '' }), ...one, tokens: 4 });
    expect(answers.pairs[0]).toMatchObject({ unit: 'tokens', common: 4, logprobs: { compared: 4 } });
    const cache = await answersOf({ ...servedPresets.cache({ url, model: '' }), ...few });
    // A prompt without the cache and a cold one are the same forwards.
    expect(cache.answers.pairs.filter(({ label }) => label.includes('off against cold')).map(({ verdict }) => verdict.word)).toEqual(['equal', 'equal']);
    const host = new ProbeHost('cli');
    const report = await answersOf({ ...servedPresets.servers({ url, model: '' }), ...few, other: { type: 'model', folder: mlx, switches: {} } }, {}, {}, host);
    await host.close();
    for (const { common, logprobs } of report.answers.pairs) {
      expect(common).toBeGreaterThan(0);
      expect(Number(logprobs.largest)).toBeLessThan(0.5);
    }
  }, 240_000);
});
