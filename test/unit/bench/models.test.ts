// The synthetic models of the bench: the same numbers in every file, deterministic, whole or not there.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureModel } from '../../../bench/models/generate';
import { bf16Bits, f16ScaleOf, groupSize } from '../../../bench/models/numbers';
import { dense, hybrid, tinyDense, tinyHybrid, type Shape } from '../../../bench/models/shape';
import { multiplyAdds, tensorsOf } from '../../../bench/models/tensors';
import { readGguf, readMlx } from './readBack';

const folder = mkdtempSync(path.join(tmpdir(), 'moire-bench-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Index of the first number that differs, -1 for none. */
function differing(a: Float32Array, b: Float32Array): number {
  return a.length === b.length ? a.findIndex((x, i) => x !== b[i]) : Math.min(a.length, b.length);
}

describe.each([tinyDense, tinyHybrid])('the model $name', (shape) => {
  const files = ensureModel(folder, shape);
  const mlx = readMlx(path.join(files.mlx, 'model.safetensors'), groupSize);

  it.each(['q4_0', 'q4_1'] as const)('has the same numbers as MLX and as %s', (format) => {
    const { tensors } = readGguf(files.gguf[format]);
    expect(tensors.size).toBe(mlx.size);
    for (const tensor of tensorsOf(shape)) {
      const [a, b] = [mlx.get(tensor.mlx) ?? mlx.get(`${tensor.mlx}.weight`), tensors.get(tensor.gguf)];
      expect(a, tensor.mlx).toBeDefined();
      const wanted = tensor.kind === 'aLog' ? a!.values.map((x) => -Math.exp(x)) : a!.values;
      expect(differing(b!.values, wanted), `${tensor.mlx} and ${tensor.gguf}`).toBe(-1);
      expect(b!.shape.filter((n) => n !== 1)).toEqual(a!.shape.filter((n) => n !== 1));
    }
  });

  it('has weights of the size that keeps activations in range, and no two rows alike', () => {
    for (const tensor of tensorsOf(shape)) {
      if (tensor.kind !== 'matrix') continue;
      const { values } = mlx.get(`${tensor.mlx}.weight`)!;
      const deviation = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);
      expect(deviation * Math.sqrt(tensor.cols)).toBeGreaterThan(0.4);
      expect(deviation * Math.sqrt(tensor.cols)).toBeLessThan(2.5);
      expect(differing(values.subarray(0, tensor.cols), values.subarray(tensor.cols, 2 * tensor.cols))).not.toBe(-1);
    }
  });

  it('comes out the same elsewhere, and is not written again where it is', () => {
    const other = ensureModel(path.join(folder, 'other'), shape);
    expect(hashOf(other.gguf.q4_0)).toBe(hashOf(files.gguf.q4_0));
    expect(hashOf(path.join(other.mlx, 'model.safetensors'))).toBe(hashOf(path.join(files.mlx, 'model.safetensors')));
    const { mtimeMs } = statSync(files.gguf.q4_0);
    ensureModel(folder, shape);
    expect(statSync(files.gguf.q4_0).mtimeMs).toBe(mtimeMs);
  });

  it('is made again when it belongs to another shape or was left unfinished', () => {
    const root = path.join(folder, 'again');
    const first = ensureModel(root, shape);
    writeFileSync(path.join(root, shape.name, 'stamp.json'), '{}');
    writeFileSync(first.gguf.q4_1, 'cut off');
    ensureModel(root, shape);
    expect(hashOf(first.gguf.q4_1)).toBe(hashOf(files.gguf.q4_1));
    expect(existsSync(path.join(root, `${shape.name}.new`))).toBe(false);
  });

  it('says in its GGUF what the loader needs', () => {
    const { metadata } = readGguf(files.gguf.q4_0);
    expect(metadata.get('general.architecture')).toBe(shape.architecture);
    expect(metadata.get('tokenizer.ggml.model')).toBe('no_vocab');
    expect(metadata.get(`${shape.architecture}.block_count`)).toBe(shape.layers);
  });
});

describe('the shapes', () => {
  it('have the parameters of the models they are named for', () => {
    const { layers, head } = multiplyAdds(dense);
    const all = (shape: Shape): number => tensorsOf(shape).reduce((sum, tensor) => sum + (tensor.kind === 'matrix' ? tensor.rows * tensor.cols : tensor.mlxShape.reduce((a, b) => a * b, 1)), 0);
    expect(all(dense)).toBe(596_049_920);
    expect(all(hybrid)).toBe(752_393_024);
    const norms = 28 * (2 * 1024 + 2 * 128) + 1024;
    expect(layers + head).toBe(596_049_920 - norms);
  });
});

describe('exact numbers', () => {
  it('refuse what a dtype does not hold', () => {
    expect(bf16Bits(1.0078125)).toBe(0x3f81);
    expect(() => bf16Bits(1.001)).toThrow('not exact in bf16');
    expect(() => f16ScaleOf(-15, 0)).toThrow('not exact in f16');
    expect(f16ScaleOf(0, 64)).toEqual({ scale: 0x3e00, least: 0xca00 });
  });
});
