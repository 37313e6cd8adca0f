// What a forward keeps of its taps in each capture mode, and what a diff tells row by row and in brief.
import { afterAll, describe, expect, it } from 'vitest';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';
import type { ForwardOptions, Session, Step } from '../../../src/engine/types';
import { freeHandle, importFloats, run, smallModel } from './support';

const engine = await NativeEngine.load();
const model = await engine.load(smallModel);
afterAll(() => model.close());

const prompt = [5, 17, 40, 2, 61];
const block = [3, 9, 27, 81];
const taps = { taps: ['*'], logits: 'all' } as const;

/** What `use` makes of a session after the prompt. */
async function after<T>(use: (session: Session) => Promise<T>): Promise<T> {
  const session = await model.open({ matmul: 'exact', attention: 'exact', delta: 'recurrent' });
  try {
    (await session.prefill(prompt)).close();
    return await use(session);
  } finally {
    session.close();
  }
}

async function blockOf(options: ForwardOptions): Promise<Step> {
  return after((session) => session.verify(block, { ...taps, ...options }));
}

describe('capture', () => {
  it('keeps the same taps in every mode, each in its own field', async () => {
    const steps = await Promise.all((['bytes', 'hash', 'stats'] as const).map((capture) => blockOf({ capture })));
    const [bytes, hash, stats] = steps.map((step) => ({
      taps: step.taps.map(({ layer, tap, tensor }) => [layer, tap, tensor.dtype, tensor.shape]),
      hashes: step.hashes.map(({ layer, tap, dtype, shape }) => [layer, tap, dtype, shape]),
      stats: step.stats.map(({ layer, tap, dtype, shape }) => [layer, tap, dtype, shape]),
    }));
    expect(bytes!.taps.length).toBeGreaterThan(20);
    expect([hash!.hashes, stats!.stats]).toEqual([bytes!.taps, bytes!.taps]);
    expect([bytes!.hashes, bytes!.stats, hash!.taps, hash!.stats, stats!.taps, stats!.hashes]).toEqual([[], [], [], [], [], []]);
    for (const step of steps) step.close();
  });

  it('gives the rows of a block the hashes of the chain that they equal', async () => {
    const wide = await blockOf({ capture: 'hash' });
    const chain = await after(async (session) => {
      const steps: Step[] = [];
      for (const id of block) steps.push(await session.decode([id], { ...taps, capture: 'hash' }));
      return steps;
    });
    wide.hashes.forEach((tap, i) => {
      const single = chain.map((step) => step.hashes[i]!);
      expect(tap.rowHashes, `${tap.layer} ${tap.tap}`).toEqual(single.flatMap(({ rowHashes }) => rowHashes));
      // A tap of one row is that row.
      for (const { hash, rowHashes } of single) expect(rowHashes).toEqual([hash]);
      expect(tap.hash).toMatch(/^[0-9a-f]{32}$/);
    });
    const distinct = new Set(wide.hashes.find(({ tap }) => tap === 'layer_output')!.rowHashes);
    expect(distinct.size).toBe(block.length);
    for (const step of [wide, ...chain]) step.close();
  });

  it('counts what the bytes hold', async () => {
    const [bytes, stats] = await Promise.all([blockOf({ capture: 'bytes' }), blockOf({ capture: 'stats' })]);
    for (const [i, { tap, stats: told }] of stats.stats.entries()) {
      const { tensor } = bytes.taps[i]!;
      const raw = await tensor.read();
      const upper = Uint32Array.from(new Uint16Array(raw.buffer, raw.byteOffset, raw.byteLength / 2), (bits) => bits << 16);
      const values = tensor.dtype === 'bf16' ? new Float32Array(upper.buffer) : new Float32Array(raw.buffer, raw.byteOffset, raw.byteLength / 4);
      const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
      const rms = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);
      expect([told.count, told.nonFinite, told.min, told.max], tap).toEqual([values.length, 0, Math.min(...values), Math.max(...values)]);
      expect(told.absMax, tap).toBe(Math.max(...values.map(Math.abs)));
      expect(told.rms, tap).toBeCloseTo(rms, 5);
      expect(told.mean, tap).toBeCloseTo(mean, 5);
    }
    bytes.close();
    stats.close();
  });
});

describe('diff', () => {
  it('counts every row, and leaves equal pairs out in brief', () => {
    const a = importFloats([3, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const b = importFloats([3, 3], [1, 2, 3, 4, 5.5, 6.5, 7, 8, 9.25]);
    const pairs = [{ a, b: a }, { a, b }, { a: b, b }];
    const full = run(0, { kind: 'diff', pairs, rows: true })['pairs'] as { differingElements: number; rows: unknown }[];
    expect(full.map(({ differingElements }) => differingElements)).toEqual([0, 3, 0]);
    expect(full[1]!.rows).toMatchObject({ differingElements: [0, 2, 1] });
    const brief = run(0, { kind: 'diff', pairs, brief: true })['pairs'] as { index: number; differingElements: number }[];
    expect(brief.map(({ index, differingElements }) => [index, differingElements])).toEqual([[1, 3]]);
    expect(brief[0]).not.toHaveProperty('rows');
    for (const handle of [a, b]) freeHandle(handle);
  });
});
