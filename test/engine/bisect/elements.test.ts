// All elements of a tap, computed again on the sample model, against what the report of the bisect says of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProbeHost } from '../../../src/engine/host';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';
import { bisect } from '../../../src/engine/probes/bisect';
import { loadElements } from '../../../src/engine/probes/bisectElements';
import { asProblem } from '../../../src/shared/problem';
import type { Engine, Model } from '../../../src/engine/types';
import type { ElementsAnswer, ElementsRequest } from '../../../src/shared/elementsProtocol';
import type { BisectExperiment } from '../../../src/shared/experiment';
import type { BisectRun } from '../../../src/shared/report';
import { sample } from '../product';

let engine: Engine;
let model: Model;
beforeAll(async () => {
  engine = await NativeEngine.load();
  model = await engine.load(sample);
});
afterAll(() => {
  model.close();
  engine.close();
});

const experimentOf = (changes: Partial<BisectExperiment>): BisectExperiment => ({ kind: 'bisect', model: sample, widths: [8], input: { type: 'draws', draws: 1, promptLength: 32 }, walk: 20, switches: {}, ...changes });

function requestOf({ switches }: BisectExperiment, run: BisectRun, tap: number): ElementsRequest {
  const { promptIds, blockIds, width, differing, rows } = run;
  return { library: '', model: sample, switches, promptIds, blockIds, width, position: differing.position[tap]!, layer: rows[differing.row[tap]!]!.layer, tap: differing.tap[tap]!, around: differing.firstIndex[tap]! };
}

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** The counts and the tile of the report are those of the bytes that came. */
function expectAsReported(run: BisectRun, tap: number, answer: ElementsAnswer): void {
  const { differing } = run;
  const [a, b] = [bytesOf(answer.a), bytesOf(answer.b)];
  const size = differing.bytes[tap]! / differing.elements[tap]!;
  const where = `${run.label} · row ${differing.row[tap]} · ${differing.tap[tap]} · position ${differing.position[tap]}`;
  expect(answer.start, where).toBe(0);
  expect([a.length, b.length, answer.total], where).toEqual([differing.bytes[tap], differing.bytes[tap], differing.elements[tap]]);
  const other = [...a.keys()].filter((i) => a[i] !== b[i]);
  const elements = new Set(other.map((i) => Math.floor(i / size)));
  expect([other.length, elements.size, [...elements][0]], where).toEqual([differing.differingBytes[tap], differing.differingElements[tap], differing.firstIndex[tap]]);
  expect([answer.differingBytes, answer.differingElements, answer.firstIndex], where).toEqual([other.length, elements.size, [...elements][0]]);
  const tile = run.tiles[differing.tile[tap]!];
  if (tile === undefined) return;
  const hex = (bytes: Buffer): string => bytes.subarray(tile.start * size).toString('hex').slice(0, tile.a.length);
  expect([answer.dtype, answer.shape, hex(a), hex(b)], where).toEqual([tile.dtype, tile.shape, tile.a, tile.b]);
}

describe('all elements of a tap', () => {
  it('are what the report says, in every kind of row, on a draw and deep in a walk, its short last block as well', async () => {
    for (const switches of [{}, { matmul: 'exact', attention: 'batched' }, { matmul: 'exact', delta: 'chunked' }] as const) {
      const experiment = experimentOf({ switches });
      const { runs } = await bisect(engine, model, experiment);
      let loaded = 0;
      for (const run of runs) {
        const { tap, row } = run.differing;
        const seen = new Set<string>();
        for (let i = tap.length - 1; i >= 0; i--) {
          const kind = `${run.rows[row[i]!]!.kind} ${tap[i]}`;
          if (seen.has(kind)) continue;
          seen.add(kind);
          expectAsReported(run, i, await loadElements(engine, model, requestOf(experiment, run, i)));
          loaded += 1;
        }
      }
      expect(loaded, JSON.stringify(switches)).toBeGreaterThan(20);
    }
  });

  it('come with the heads that a tap of the same heads tells', async () => {
    const { runs } = await bisect(engine, model, experimentOf({ walk: 0 }));
    const heads = async (name: string): Promise<readonly number[] | null> => (await loadElements(engine, model, requestOf(experimentOf({}), runs[0]!, runs[0]!.differing.tap.indexOf(name)))).heads;
    expect(await heads('attention_core')).toEqual([4, 64]);
    expect(await heads('v_proj')).toEqual([2, 64]);
    expect(await heads('delta_gated')).toEqual([8, 32]);
    expect(await heads('mlp_gate')).toBeNull();
  });
});

describe('what cannot be computed again', () => {
  const fails = async (changes: Partial<ElementsRequest>): Promise<string> => {
    const host = new ProbeHost('cli');
    const request: ElementsRequest = { library: '', model: sample, switches: {}, promptIds: [1, 2, 3], blockIds: [4, 5, 6, 7], width: 4, position: 1, layer: 0, tap: 'conv', around: 0 };
    try {
      return await host.elements({ ...request, ...changes }).then(() => 'it did not fail', (error: unknown) => asProblem(error).sentence);
    } finally {
      await host.close();
    }
  };

  it('is said in words, before anything runs', async () => {
    expect(await fails({ position: 4 })).toMatch(/no position 4.*4 tokens/);
    expect(await fails({ layer: 9 })).toMatch(/no tap conv in layer 9/);
    expect(await fails({ layer: 3 })).toMatch(/Layer 3 of the model makes no tap conv/);
    expect(await fails({ tap: 'nothing' })).toMatch(/no tap nothing/);
    expect(await fails({ tap: '*' })).toMatch(/name of the tap/);
    expect(await fails({ promptIds: [999_999] })).toMatch(/beyond the vocabulary/);
    expect(await fails({ switches: { matmul: 'none' } })).toMatch(/matmul cannot be/);
    expect(await fails({ model: '/nowhere/at/all' })).toMatch(/nowhere/);
    expect(await fails({ width: 0 })).toMatch(/the width is a whole number from 1/);
  });

  it('ends when it is cancelled', async () => {
    const abort = new AbortController();
    const blockIds = Array.from({ length: 512 }, (_, i) => i);
    const texts: string[] = [];
    const onProgress = ({ text }: { text: string }): void => {
      texts.push(text);
      if (texts.length === 6) abort.abort();
    };
    const request: ElementsRequest = { library: '', model: sample, switches: {}, promptIds: [1, 2, 3], blockIds, width: 8, position: 500, layer: 0, tap: 'conv', around: 0 };
    await expect(loadElements(engine, model, request, { signal: abort.signal, onProgress })).rejects.toMatchObject({ data: { kind: 'cancelled' } });
    expect(texts.length).toBeLessThan(10);
    expect(texts[1]).toBe('single steps · token 1 of 501');
  });
});
