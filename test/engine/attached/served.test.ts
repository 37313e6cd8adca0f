// The probes over our own server: exact kernels answer the same whatever runs beside them, the usual ones do not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProbeHost } from '../../../src/engine/host';
import type { ServerProfile } from '../../../src/shared/serverProfile';
import { servedPresets, servedPrompts } from '../../../src/shared/servedPresets';
import { sample } from '../product';
import { startServing, type Serving } from '../server/support';
import { problemOf } from '../speculation/support';
import { answersOf, without, words } from './support';

let exact: Serving;
let usual: Serving;
beforeAll(async () => {
  [exact, usual] = await Promise.all([startServing('--matmul', 'exact', '--attention', 'exact'), startServing('--no-token', '--matmul', 'auto', '--attention', 'per_position')]);
});
afterAll(() => Promise.all([exact.stop(), usual.stop()]));

const at = ({ url }: Serving) => ({ url, model: '' });
const bearer = ({ url, token }: Serving): Record<string, string> => ({ [url]: token });
const few = { prompts: servedPrompts.slice(0, 2), tokens: 12 };
const state = ({ capabilities }: ServerProfile, name: string): string | undefined => capabilities.find((one) => one.name === name)?.state;

describe('a profile', () => {
  it('says which engine, which models and what was shown', async () => {
    const profile = await without.attach({ url: `${exact.url}/v1/chat/completions`, model: '', token: exact.token });
    expect(profile).toMatchObject({ url: exact.url, engine: 'moire', model: 'target-4bit', models: ['target-4bit'], context: 2048, notes: [] });
    for (const name of ['completions', 'logprobs', 'chat', 'chat logprobs', 'token ids', 'stream', 'echo', 'seed', 'tokenize', 'cached tokens', 'cache off', 'speculation']) expect([name, state(profile, name)]).toEqual([name, 'yes']);
    expect(state(profile, 'end ignored')).toBe('unknown');
  });

  it('names the token where it is missing, wrong or none at all', async () => {
    expect(await problemOf(without.attach({ url: exact.url, model: '', token: '' }))).toMatchObject({ kind: 'input', place: 'token', title: expect.stringContaining('(401)') as string });
    expect(await problemOf(without.attach({ url: exact.url, model: '', token: 'wrong' }))).toMatchObject({ place: 'token' });
    expect(await problemOf(without.attach({ url: exact.url, model: '', token: 'two\nlines' }))).toMatchObject({ kind: 'input', title: 'The token holds characters that no token has' });
  });

  it('says that a model is not there', async () => {
    expect(await problemOf(without.attach({ url: usual.url, model: 'other', token: '' }))).toMatchObject({ kind: 'input', title: expect.stringContaining('The model "other" is not served') as string });
  });
});

describe('exact kernels', () => {
  it('give one answer to one request, cold, warm, alone, among others, and scored as a prompt', async () => {
    const experiments = [
      { ...servedPresets.repeat(at(exact)), ...few, times: 3 },
      { ...servedPresets.repeat(at(exact)), ...few, times: 2, temperature: 0.8 },
      { ...servedPresets.repeat(at(exact)), ...few, times: 2, endpoint: 'chat' as const },
      { ...servedPresets.cache(at(exact)), ...few },
      { ...servedPresets.concurrency(at(exact)), tokens: 12, together: 10 },
      { ...servedPresets.rescore(at(exact)), ...few },
    ];
    for (const experiment of experiments) {
      const report = await answersOf(experiment, bearer(exact));
      expect([experiment.kind, report.verdict.word, report.complete]).toEqual([experiment.kind, 'equal', true]);
      expect(report.answers.pairs.every(({ logprobs }) => logprobs.compared > 0)).toBe(true);
      expect(report.provenance).toMatchObject({ engine: { name: 'moire', abi: '', libraryHash: '' }, model: null, servers: [{ url: exact.url }] });
      expect(JSON.stringify(report)).not.toContain(exact.token);
    }
  }, 120_000);

  it('show that warm answers were warm and cold ones were not', async () => {
    const { answers } = await answersOf({ ...servedPresets.cache(at(exact)), ...few }, bearer(exact));
    const cached = (label: string): number[] => answers.answers.filter((one) => one.label === label).map(({ cachedTokens }) => cachedTokens);
    expect(cached('cold')).toEqual([0, 0]);
    expect(cached('cache off')).toEqual([0, 0]);
    for (const tokens of [...cached('warm'), ...cached('warm again')]) expect(tokens).toBeGreaterThan(20);
    expect(new Set(answers.prompts.map((prompt) => prompt.split('\n')[0])).size).toBe(2);
  });
});

describe('the usual kernels', () => {
  it('are caught: an answer moves with the number of requests that run together', async () => {
    const { verdict, answers } = await answersOf({ ...servedPresets.concurrency(at(usual)), tokens: 24, together: 8 });
    expect(['drift', 'tie', 'defect']).toContain(verdict.word);
    expect(answers.notes.join()).toContain('8 requests really shared a forward');
    for (const { logprobs, fork } of answers.pairs) expect(logprobs.differing > 0 || fork !== null).toBe(true);
    // What differs is no scatter of the server: alone it repeats itself.
    expect(answers.noise?.repeatDiffering).toBe(0);
    expect(Number(answers.noise?.floor)).toBeGreaterThan(0);
  }, 60_000);

  it('are caught: a text scored as a prompt has other probabilities than decoded', async () => {
    const report = await answersOf({ ...servedPresets.rescore(at(usual)), ...few });
    expect(words(report).every((word) => word !== 'equal')).toBe(true);
    const [pair] = report.answers.pairs;
    expect(pair).toMatchObject({ unit: 'tokens', common: 12, length: 12, fork: null, logprobs: { compared: 12, first: 0 } });
  });
});

describe('server parity', () => {
  it('tells a server of exact kernels from one of the usual ones, token by token', async () => {
    const report = await answersOf({ ...servedPresets.servers(at(usual)), ...few, other: { type: 'server', ...at(exact) } }, bearer(exact));
    expect(report.verdict.word).not.toBe('equal');
    expect(report.provenance.servers?.map(({ url }) => url)).toEqual([usual.url, exact.url]);
    expect(report.answers.pairs.every(({ logprobs }) => logprobs.differing > 0)).toBe(true);
    expect(JSON.stringify(report)).not.toContain(exact.token);
  });

  it('finds a model of this process equal under the switches of the server', async () => {
    const host = new ProbeHost('cli');
    try {
      const experiment = { ...servedPresets.servers(at(exact)), ...few, other: { type: 'model', folder: sample, switches: { matmul: 'exact', attention: 'exact' } } } as const;
      const report = await answersOf({ ...experiment, prompts: [...experiment.prompts], other: { ...experiment.other } }, bearer(exact), {}, host);
      expect(report).toMatchObject({ verdict: { word: 'equal' }, provenance: { engine: { name: 'moire' }, switchesA: {}, switchesB: { matmul: 'exact' }, model: { path: sample } } });
      expect(report.answers.notes.join()).not.toContain('tokenizer');
      const other = await answersOf({ ...experiment, prompts: [...experiment.prompts], other: { type: 'model', folder: sample, switches: { matmul: 'qmm' } } }, bearer(exact), {}, host);
      expect(other.verdict.word).not.toBe('equal');
    } finally {
      await host.close();
    }
  }, 60_000);
});

describe('a run that is cancelled', () => {
  it('keeps the pairs that it has, marked incomplete', async () => {
    const stop = new AbortController();
    const report = await answersOf({ ...servedPresets.repeat(at(usual)), prompts: servedPrompts.slice(0, 4), tokens: 8, times: 3 }, {}, { signal: stop.signal, onProgress: ({ text }) => text.startsWith('prompt 3') && stop.abort() });
    expect(report).toMatchObject({ complete: false, verdict: { word: 'equal' } });
    expect(report.answers.pairs.length).toBe(4);
  });

  it('says so where nothing was compared', async () => {
    const stop = new AbortController();
    stop.abort();
    expect(await problemOf(answersOf({ ...servedPresets.repeat(at(usual)), ...few }, {}, { signal: stop.signal }))).toMatchObject({ kind: 'cancelled' });
  });
});
