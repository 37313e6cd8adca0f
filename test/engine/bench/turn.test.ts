// The bench against the real engines on tiny shapes: the files load, the logits are those of the same model, a turn takes every time it was asked for. No time is judged.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LlamaContext, loadLlamaModel } from '../../../bench/llama/context';
import { loadLlama, type LlamaLibrary } from '../../../bench/llama/library';
import { ensureModel } from '../../../bench/models/generate';
import { tinyDense, tinyHybrid } from '../../../bench/models/shape';
import { relativeDistance } from '../../../bench/run/agreement';
import { bisectCost } from '../../../bench/run/bisect';
import { captureCost } from '../../../bench/run/capture';
import { ExactRunner, logitsAfter } from '../../../bench/run/exact';
import { profilesOf } from '../../../bench/run/profile';
import { runTurn } from '../../../bench/run/turn';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';

const folder = mkdtempSync(path.join(tmpdir(), 'moire-bench-'));
const llamaFolder = path.resolve(import.meta.dirname, '../../../bench/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64');
const hasLlama = existsSync(llamaFolder);
const ids = Array.from({ length: 24 }, (_, i) => (i * 37 + 5) % tinyDense.vocab);

let engine: NativeEngine;
beforeAll(async () => {
  engine = await NativeEngine.load();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([tinyDense, tinyHybrid])('the model $name in the engine', (shape) => {
  it('loads without a warning and has finite logits', async () => {
    const model = await engine.load(ensureModel(folder, shape).mlx);
    expect(model.info.warnings).toEqual([]);
    const logits = await logitsAfter(model, ids, 1);
    expect(logits).toHaveLength(shape.vocab);
    expect(logits.every(Number.isFinite)).toBe(true);
    expect(Math.max(...logits) - Math.min(...logits)).toBeGreaterThan(0.5);
    model.close();
  });

  it('is timed in every figure of a turn', async () => {
    const model = await engine.load(ensureModel(folder, shape).mlx);
    const times = await runTurn(new ExactRunner(model), { threads: 2, vocab: shape.vocab, context: 8, decodes: 3, widths: [2, 4], blocks: 2, prefill: 16 });
    expect([times.decode.length, times.blocks.map((block) => block.length), times.prefill.length]).toEqual([3, [2, 2], 1]);
    expect(Math.min(...times.decode, ...times.blocks.flat(), ...times.prefill)).toBeGreaterThan(0);
    const [capture] = await captureCost(model, 1, 2);
    expect([capture?.plain.length, capture?.captured.length]).toEqual([2, 2]);
    const profiles = await profilesOf(model, 1, 2);
    expect(profiles.map(({ figure }) => figure)).toEqual(['decode', 'verify W = 2', 'verify W = 4', 'verify W = 8', 'verify W = 16', 'prefill 512']);
    expect(profiles[0]?.ops.find(({ op }) => op === 'mlp_down')?.linear).toBe(true);
    model.close();
  });

  it('has the forwards of a bisect made again', async () => {
    const model = await engine.load(ensureModel(folder, shape).mlx);
    const { bisect, forwards, calls } = await bisectCost(engine, model, 1, 1);
    expect([bisect.length, forwards.length]).toEqual([1, 1]);
    // At least both arms twice and the repeat: 8 steps or one block each, after a prefill.
    expect(calls).toBeGreaterThanOrEqual(1 + 3 * 8 + 2);
    model.close();
  });
});

describe.runIf(hasLlama)('the same models in llama.cpp', () => {
  let library: LlamaLibrary;
  beforeAll(() => {
    library = loadLlama(llamaFolder);
  });

  it.each([tinyDense, tinyHybrid])('$name gives nearly the same logits from both files', async (shape) => {
    const files = ensureModel(folder, shape);
    const model = await engine.load(files.mlx);
    const wanted = await logitsAfter(model, ids, 1);
    model.close();
    for (const file of Object.values(files.gguf)) {
      const other = loadLlamaModel(library, file);
      const context = new LlamaContext(library, other, 1);
      context.forward(ids, 'last');
      // Activations of 8 bits against 16: near, not equal. Another model is at a distance of about 1.4.
      expect(relativeDistance(wanted, context.logits(ids.length)), path.basename(file)).toBeLessThan(0.1);
      context.close();
      library.call.freeModel(other.pointer);
    }
  });

  it('says what is wrong with a file', () => {
    expect(() => loadLlamaModel(library, path.join(folder, 'nothing.gguf'))).toThrow(/cannot load .*nothing\.gguf/);
  });
});

describe.skipIf(hasLlama)('the same models in llama.cpp', () => {
  it.skip('llama.cpp is not installed here: run npm run bench once, or npm ci --prefix bench --ignore-scripts', () => undefined);
});
