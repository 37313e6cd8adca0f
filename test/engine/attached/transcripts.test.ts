// What other engines say, played back: recorded from real ones, or written from their documentation (each file says which). The parsing of all of them is tested with none of them there.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, greedy } from '../../../src/engine/attached/client';
import { readCounters } from '../../../src/engine/attached/counters';
import { askJson } from '../../../src/engine/attached/http';
import { factLimits } from '../../../src/engine/attached/limits';
import { readPages, recognise } from '../../../src/engine/attached/recognise';
import { ModelsShape } from '../../../src/engine/attached/shapes';
import type { ServerEngine } from '../../../src/shared/serverProfile';
import { servedPresets, servedPrompts } from '../../../src/shared/servedPresets';
import { root } from '../product';
import { answersOf, without } from './support';
import { replay, transcriptOf } from './transcripts';

const file = (name: string): string => path.join(root, 'test/fixtures/servers', `${name}.json`);

const told = { text: ' return a', finish: 'length', promptTokens: 3, emitted: 2 };
const listed = [{ text: ' return', logprob: -0.25 }, { text: ' a', logprob: -0.5 }];
const documented = [
  ['vllm', '0.26.0', { ...told, promptIds: [1, 2, 3], cachedTokens: 0, tokens: [{ ...listed[0], id: 470 }, { ...listed[1], id: 264 }] }, { rounds: 40, drafted: 120, accepted: 84 }],
  ['sglang', '0.5.4', { ...told, tokens: listed }, null],
  ['ollama', '0.40.12', { ...told, tokens: [] }, null],
  ['lm-studio', '', { ...told, tokens: [], speculation: { from: 'stats', rounds: -1, drafted: 4, accepted: 2 } }, null],
  ['tgi', '3.3.6', { ...told, text: 'return a', tokens: [{ text: 'return', logprob: -0.25 }, { text: ' a', logprob: -0.5 }] }, { rounds: 100, drafted: -1, accepted: 140 }],
] as const satisfies readonly (readonly [ServerEngine, string, object, object | null])[];

describe.each(documented)('%s', (engine, version, answer, counters) => {
  it('is recognised, and its answer and counters are read', async () => {
    const server = await replay(transcriptOf(file(engine)));
    try {
      const target = { url: server.url, token: '' };
      const { value, headers } = await askJson(target, { path: '/v1/models' }, { limits: factLimits });
      const models = ModelsShape.parse(value);
      expect(recognise(models, headers, await readPages(target, undefined))).toMatchObject({ engine, version });
      const capabilities = (['logprobs', 'chat logprobs'] as const).map((name) => ({ name, state: 'yes' as const, detail: '' }));
      const found = await ask(target, { engine, model: models.data[0]!.id, capabilities }, { ...greedy, endpoint: engine === 'tgi' ? 'chat' : 'completions', prompt: 'function add(a, b) {', tokens: 2 }, { limits: factLimits });
      expect(found).toMatchObject(answer);
      const counted = await readCounters(target, undefined);
      if (counters === null) expect(counted).toBeNull();
      else expect(counted).toMatchObject(counters);
    } finally {
      await server.close();
    }
  });
});

describe.runIf(existsSync(file('mlx-lm')))('mlx-lm, recorded', () => {
  it('gives the profile and the repeat check that it gave', async () => {
    const server = await replay(transcriptOf(file('mlx-lm')));
    const profile = await without.attach({ url: server.url, model: '', token: '' });
    expect(profile).toMatchObject({ engine: 'mlx-lm', version: '0.32.2' });
    expect(profile.capabilities).toContainEqual({ name: 'stream', state: 'no', detail: 'it streams, but without log probabilities, so whole answers are asked for' });
    const report = await answersOf({ ...servedPresets.repeat({ url: server.url, model: '' }), prompts: servedPrompts.slice(1, 2), tokens: 6, times: 2 });
    expect(report).toMatchObject({ verdict: { word: 'equal' }, answers: { pairs: [{ unit: 'tokens', common: 6, logprobs: { compared: 6, ranks: -1 } }] } });
    await server.close();
  });
});

describe.runIf(existsSync(file('llama-server')))('llama-server, recorded', () => {
  it('gives the profile and the repeat check that it gave', async () => {
    const server = await replay(transcriptOf(file('llama-server')));
    const profile = await without.attach({ url: server.url, model: '', token: '' });
    expect(profile).toMatchObject({ engine: 'llama-server', context: 2048 });
    expect(profile.capabilities).toContainEqual({ name: 'cache off', state: 'yes', detail: 'cache_prompt: false' });
    const report = await answersOf({ ...servedPresets.repeat({ url: server.url, model: '' }), prompts: servedPrompts.slice(1, 2), tokens: 6, times: 2 });
    expect(report).toMatchObject({ verdict: { word: 'equal' }, answers: { pairs: [{ unit: 'tokens', common: 6, logprobs: { compared: 6 } }] } });
    await server.close();
  });
});
