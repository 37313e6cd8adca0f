// The bisect probe on the built-in engine and the sample model: real kernels, real reduction orders.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';
import { bisect } from '../../../src/engine/probes/bisect';
import type { Engine, Model } from '../../../src/engine/types';
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

async function runsOf(changes: Partial<BisectExperiment>): Promise<readonly BisectRun[]> {
  const experiment: BisectExperiment = { kind: 'bisect', model: sample, widths: [4], input: { type: 'draws', draws: 1, promptLength: 64 }, walk: 0, switches: {}, ...changes };
  return (await bisect(engine, model, experiment)).runs;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Every byte of the run, compared or counted, is the same. */
function expectEqual(run: BisectRun): void {
  expect(run.verdict.word, `${run.label}: ${run.verdict.sentence}`).toBe('equal');
  expect(total(run.cells.differingBytes) + total(run.logits.differingBytes) + total(run.state.map(({ differingBytes }) => differingBytes))).toBe(0);
  expect(total(run.cells.rowBytes)).toBeGreaterThan(0);
}

function expectTrustworthy(run: BisectRun): void {
  expect(run.noise.repeatDifferingBytes, run.label).toBe(0);
  expect(run.captureDifferingBytes, run.label).toEqual({ a: 0, b: 0 });
}

describe('matmul auto', () => {
  it('is equal at widths 2 to 7 and parts at 8 and more, first at a projection of layer 0, with both kernels named', async () => {
    const runs = await runsOf({ widths: [2, 3, 4, 5, 6, 7, 8, 9, 16] });
    for (const run of runs) {
      expectTrustworthy(run);
      if (run.width < 8) {
        expectEqual(run);
        continue;
      }
      expect(['drift', 'tie'], run.verdict.sentence).toContain(run.verdict.word);
      expect(run.first).toMatchObject({ layer: 0, tap: 'in_proj_qkv', position: 0 });
      expect(run.first?.kernelA).toMatch(/^qmv/);
      expect(run.first?.kernelB).toMatch(/^qmm/);
      expect(run.logits.differingBytes.every((bytes) => bytes > 0)).toBe(true);
    }
  });

  it('shows the boundary inside one walk: full blocks of 8 part, the short last block runs the kernels of single steps', async () => {
    const walk = (await runsOf({ widths: [8], walk: 20 })).find(({ source }) => source === 'walk')!;
    expect(walk.cells.positions).toBe(20);
    expect(walk.kernels.find(({ layer, op }) => layer === 0 && op === 'in_proj_qkv')).toMatchObject({ a: expect.stringMatching(/^qmv/) as string, b: expect.stringMatching(/^qmm.* \+ qmv/) as string });
    const head = (position: number): number => walk.cells.differingBytes[position + 20]!;
    expect(total([0, 1, 2, 3, 4, 5, 6, 7].map(head))).toBeGreaterThan(0);
  });
});

describe('matmul exact', () => {
  it('is equal to the byte at every width from 2 to 16, on draws and on a walk', async () => {
    const widths = Array.from({ length: 15 }, (_, i) => i + 2);
    const runs = await runsOf({ widths, walk: 16, switches: { matmul: 'exact' } });
    expect(runs).toHaveLength(30);
    for (const run of runs) {
      expectTrustworthy(run);
      expectEqual(run);
    }
  });
});

describe('each family is found as its own first op', () => {
  const families: [string, BisectExperiment['switches'], RegExp, RegExp][] = [
    // In fp32: rounding to bf16 swallows most of what angle addition changes.
    ['rope block', { rope: 'block', activations: 'f32' }, /^[qk]_rope$/, /^rope\.block/],
    ['attention batched', { attention: 'batched' }, /^attention_core$/, /^attention\.batched/],
    ['delta chunked', { delta: 'chunked' }, /^delta_core$/, /^delta\.chunked/],
  ];
  it.each(families)('%s', async (_, switches, tap, kernel) => {
    const runs = await runsOf({ widths: [5], input: { type: 'draws', draws: 2, promptLength: 64 }, walk: 40, switches: { matmul: 'exact', ...switches } });
    const found = runs.filter(({ first }) => first !== null);
    expect(found.length).toBeGreaterThan(0);
    for (const run of runs) {
      expectTrustworthy(run);
      if (run.first === null) continue;
      expect(run.first.tap, run.label).toMatch(tap);
      expect(run.first.kernelB, run.label).toMatch(kernel);
      expect(run.first.kernelA, run.label).not.toMatch(kernel);
    }
  });
});

describe('the report', () => {
  it('compares every position x layer x tap of the model, and all of its state', async () => {
    const [run] = await runsOf({ widths: [3], switches: { matmul: 'exact' } });
    const { info } = model;
    expect(run!.rows.map(({ layer }) => layer)).toEqual([-1, ...info.layers.map(({ index }) => index), info.layers.length]);
    const names = (kind: string): string[] => info.taps.filter((one) => (one.kinds as readonly string[]).includes(kind)).map(({ name }) => name);
    expect(run!.tapsCompared['attention']).toEqual(names('attention'));
    expect(run!.tapsCompared['gated_delta']).toEqual(names('gated_delta'));
    expect([...run!.tapsCompared['embedding']!, ...run!.tapsCompared['head']!]).toEqual(names('model'));
    const expected = info.layers.flatMap(({ index, kind }) => (kind === 'attention' ? ['k', 'v'] : ['conv_state', 'recurrent_state']).map((tensor) => `${index} ${tensor}`));
    expect(run!.state.map(({ layer, tensor }) => `${layer} ${tensor}`)).toEqual(expected);
    expect(run!.logits.bytes).toBe(info.vocab * 2);
  });

  it('follows a real prompt with its own greedy continuation', async () => {
    const [run] = await runsOf({ widths: [6], input: { type: 'text', text: 'export function ' } });
    expect(run!.promptIds).toEqual(await model.tokenize('export function '));
    expect(run!.blockIds.slice(1)).toEqual(run!.logits.argmaxA.slice(0, -1));
  });

  it('has a tile whose first difference is the one that was reported', async () => {
    const [run] = await runsOf({ widths: [8] });
    const tile = run!.tiles[run!.differing.tile[0]!]!;
    expect(tile.dtype).toBe('bf16');
    const at = (run!.differing.firstIndex[0]! - tile.start) * 4;
    expect([tile.a.slice(at, at + 4), tile.b.slice(at, at + 4)]).toEqual([run!.first!.aHex, run!.first!.bHex]);
    expect(tile.a.slice(0, at)).toBe(tile.b.slice(0, at));
  });
});
