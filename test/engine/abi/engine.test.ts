// The Engine interface over the real library and real checkpoints.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { NativeSession } from '../../../src/engine/native/nativeSession';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';
import type { Progress, Step, Tensor } from '../../../src/engine/types';
import { rejection, sampleModel } from './support';

const engine = await NativeEngine.load();
const model = await engine.load(sampleModel);
afterAll(() => model.close());

const f32 = (values: number[]): Uint8Array => new Uint8Array(new Float32Array(values).buffer);

async function withSession<T>(body: (session: NativeSession) => Promise<T>, switches = {}): Promise<T> {
  const session = await model.open(switches);
  try {
    return await body(session);
  } finally {
    session.close();
  }
}

describe('engine', () => {
  it('says where it came from', () => {
    const info = engine.info();
    expect(info).toMatchObject({ engine: 'moire', abi: '1.3' });
    expect(info.libraryHash).toBe(createHash('sha256').update(readFileSync(info.library)).digest('hex'));
    expect(info.git).toMatch(/^([0-9a-f]{7,}\+?|unknown)$/);
    expect(info.compiler).toMatch(/^rustc 1\./);
    expect(info.cpu.cores).toBeGreaterThan(0);
    expect(info.cpu.used.length).toBeGreaterThan(0);
    for (const family of ['qmv', 'qmm', 'exact']) expect(info.kernels.join(' ')).toContain(family);
    expect(info.architectures).toEqual(['qwen3_5', 'qwen3', 'llama']);
  });

  it('passes its own self test', async () => {
    const { passed, checks } = await engine.selfTest('kernels');
    expect(checks.filter((check) => !check.ok)).toEqual([]);
    expect(passed).toBe(true);
    expect(checks.length).toBeGreaterThan(2);
  });

  it('tells how long each op took', async () => {
    const session = await model.open();
    const step = await session.prefill([1, 2, 3]);
    const ops = step.times.map(({ op }) => op);
    for (const { op } of step.kernels) expect(ops).toContain(op);
    expect(new Set(ops).size).toBe(ops.length);
    expect(step.times.reduce((sum, { ms }) => sum + ms, 0)).toBeLessThanOrEqual(step.ms);
    step.close();
    session.close();
  });

  it('measures what the machine can do', async () => {
    for (const what of ['read', 'int16', 'fp32'] as const) {
      const { threads, isa, perSecond } = await engine.measure(what, 1, { rounds: 2 });
      expect({ threads, isa, rounds: perSecond.length }).toEqual({ threads: 1, isa: expect.any(String) as string, rounds: 2 });
      expect(Math.min(...perSecond)).toBeGreaterThan(0);
    }
  });

  it('limits a thread count with a sentence', async () => {
    for (const [asked, used] of [[0, 1], [10_000, 256]] as const) {
      const session = await model.open({ threads: asked });
      expect(session.switches['threads']).toBe(used);
      expect(session.notes).toEqual([expect.stringContaining(`asked for ${asked} and uses ${used}`)]);
      session.close();
    }
    expect(await withSession((session) => Promise.resolve(session.notes))).toEqual([]);
  });

  it('inspects without loading, and tells the same as a load', async () => {
    const { model: info, tensors } = await engine.inspect(sampleModel);
    expect({ ...info, fingerprint: '', warnings: [] }).toEqual({ ...model.info, fingerprint: '', warnings: [] });
    const config = JSON.parse(readFileSync(path.join(sampleModel, 'config.json'), 'utf8')) as { text_config?: { num_hidden_layers: number }; num_hidden_layers?: number };
    expect(info.layers).toHaveLength((config.text_config ?? config).num_hidden_layers!);
    expect(tensors.length).toBeGreaterThan(info.layers.length);
  });

  it('imports, reads and compares tensors', async () => {
    const a = engine.import('f32', [2, 2], f32([1, 2, 3, 4]));
    const b = engine.import('f32', [2, 2], f32([1, 2, 3, -4]));
    expect(await b.read(12, 4)).toEqual(f32([-4]));
    const [whole, rows] = await engine.diff([{ a, b }, { a, b, aRows: [0, 1], bRows: [0, 1] }], { tile: 2 });
    expect(whole).toMatchObject({ equal: false, bytes: 16, differingBytes: 1, differingElements: 1, maxAbs: 8, first: { index: 3, a: 4, b: -4, aHex: '00008040', bHex: '000080c0' }, tile: { start: 2 } });
    expect(rows).toMatchObject({ equal: true, bytes: 8, first: null, tile: null });
    expect(await engine.diff([])).toEqual([]);
    const badRows = await rejection(engine.diff([{ a, b }, { a, b, aRows: [1, 3] }]));
    expect([badRows.status, badRows.where]).toEqual(['E_INVALID', '/pairs/1/aRows']);
    const badRead = await rejection(a.read(10, 7));
    expect(badRead.message).toContain('outside the tensor');
    expect(() => engine.import('f32', [3], new Uint8Array(4))).toThrow('desc says 12');
    const foreign: Tensor = { dtype: 'f32', shape: [2, 2], nbytes: 16, read: () => Promise.resolve(new Uint8Array(16)), close: () => undefined };
    await expect(engine.diff([{ a: foreign, b }])).rejects.toThrow('another engine');
    a.close();
    b.close();
  });

  it('maps all tensors of a file', async () => {
    const { tensors } = await engine.tensors(path.join(sampleModel, 'model.safetensors'));
    const { tensors: listed } = await engine.inspect(sampleModel);
    expect(tensors.map(({ name }) => name).sort()).toEqual(listed.map(({ name }) => name).sort());
    const { tensor } = tensors[0]!;
    expect((await tensor.read()).byteLength).toBe(tensor.nbytes);
    for (const one of tensors) one.tensor.close();
  });
});

describe('model', () => {
  it('goes from text to ids and back', async () => {
    const ids = await model.tokenize('Once upon a time');
    expect(ids.length).toBeGreaterThan(1);
    const { text, pieces } = await model.detokenize(ids);
    expect(text).toBe('Once upon a time');
    expect(pieces).toHaveLength(ids.length);
  });

  it('refuses a chat that it has no template for, or renders it', async () => {
    const chat = model.chat([{ role: 'user', content: 'hi' }], { addGenerationPrompt: true });
    if (model.info.chatTemplate) expect((await chat).text).toContain('hi');
    else expect((await rejection(chat)).status).toBe('E_UNSUPPORTED');
  });
});

describe('session', () => {
  const prompt = [5, 6, 7, 8, 9, 10];
  const block = [11, 12, 13, 14];
  const same = async (a: Tensor, b: Tensor): Promise<boolean> => (await engine.diff([{ a, b }]))[0]!.equal;
  const closeAll = (...steps: Step[]): void => steps.forEach((step) => step.close());

  it('steps, forks, rewinds, and shows its state', async () => {
    await withSession(async (session) => {
      const first = await session.prefill(prompt, { top: 3 });
      expect(first).toMatchObject({ rows: 6, batch: 1, position: [6], logitRows: [5], nonFinite: 0 });
      expect(first.logits?.shape).toEqual([1, model.info.vocab]);
      expect(first.top[0]).toHaveLength(3);
      const fork = await session.fork();
      const verified = await session.verify(block, { taps: ['logits', '*.layer_output'] });
      expect(verified.taps.filter(({ tap }) => tap === 'layer_output').map(({ layer }) => layer)).toEqual(model.info.layers.map(({ index }) => index));
      expect(session.position).toEqual([10]);
      expect(fork.position).toEqual([6]);
      expect(await session.rewind([1])).toMatchObject({ asked: [1], dropped: [3], position: [7] });
      const decoded = await fork.decode([block[0]!]);
      expect(decoded.logitRows).toEqual([0]);
      const [a, b] = [await session.state(), await fork.state()];
      const pairs = a.flatMap((layer, i) => layer.tensors.map(({ tensor }, j) => ({ a: tensor, b: b[i]!.tensors[j]!.tensor })));
      expect((await engine.diff(pairs)).every(({ equal }) => equal)).toBe(true);
      for (const pair of pairs) [pair.a, pair.b].forEach((tensor) => tensor.close());
      fork.close();
      closeAll(first, verified, decoded);
    }, { matmul: 'exact', attention: 'exact' });
  });

  it('gives block == chain to the byte under exact, and names the kernels that ran', async () => {
    await withSession(async (session) => {
      closeAll(await session.prefill(prompt, { logits: 'none' }));
      const chain = await session.fork();
      const verified = await session.verify(block);
      expect(verified.logits?.shape).toEqual([4, model.info.vocab]);
      for (const [i, id] of block.entries()) {
        const step = await chain.decode([id]);
        const [diff] = await engine.diff([{ a: step.logits!, b: verified.logits!, bRows: [i, i + 1] }]);
        expect(diff).toMatchObject({ equal: true, bytes: step.logits!.nbytes });
        expect(step.top[0]![0]).toEqual(verified.top[i]![0]);
        step.close();
      }
      expect(verified.kernels.some(({ kernel }) => kernel.includes('exact'))).toBe(true);
      chain.close();
      verified.close();
    }, { matmul: 'exact', attention: 'exact' });
  });

  it('is not changed by taps', async () => {
    const logits = async (taps: string[]): Promise<Step> => withSession((session) => session.prefill(prompt, { taps, logits: 'all' }));
    const [none, some, all] = [await logits([]), await logits(['0.q_proj', 'final_norm']), await logits(['*'])];
    expect(await same(none.logits!, some.logits!)).toBe(true);
    expect(await same(none.logits!, all.logits!)).toBe(true);
    expect(all.taps.length).toBeGreaterThan(10 * model.info.layers.length);
    closeAll(none, some, all);
  });

  it('cancels by AbortSignal, leaves the event loop free, and can be used again', async () => {
    await withSession(async (session) => {
      const long = Array.from({ length: 1000 }, (_, i) => (i * 13) % 200);
      const abort = new AbortController();
      let turns = 0;
      const ticking = setInterval(() => (turns += 1), 1);
      const running = session.prefill(long, { signal: abort.signal });
      await sleep(20);
      abort.abort();
      const asked = performance.now();
      const error = await rejection(running);
      clearInterval(ticking);
      expect(error.status).toBe('E_CANCELLED');
      expect(performance.now() - asked).toBeLessThan(300);
      expect(turns).toBeGreaterThan(3);
      expect(session.position).toEqual([0]);
      closeAll(await session.prefill(prompt));
      expect((await rejection(session.prefill(prompt, { signal: abort.signal }))).status).toBe('E_CANCELLED');
    });
  });

  it('is busy while it works', async () => {
    await withSession(async (session) => {
      const running = session.prefill(Array<number>(200).fill(7));
      expect((await rejection(session.decode([1]))).status).toBe('E_BUSY');
      closeAll(await running);
      closeAll(await session.decode([1]));
    });
  });
});

describe('long jobs', () => {
  it('report progress about 20 times a second, in order', async () => {
    const seen: Progress[] = [];
    await engine.selfTest('spin', { ms: 500, onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.length).toBeLessThan(14);
    expect(seen.every(({ stage, total }) => stage === 'spin' && total === 500)).toBe(true);
    expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).sort((a, b) => a - b));
  });

  it('leave threads of the pool to others however many there are', async () => {
    const aborts = Array.from({ length: 12 }, () => new AbortController());
    const jobs = aborts.map(({ signal }) => rejection(engine.selfTest('spin', { ms: 60_000, signal })));
    await sleep(30);
    const begin = performance.now();
    await Promise.all([1, 2, 3].map(() => engine.load(sampleModel, { scan: false }).then((loaded) => loaded.close())));
    await readFile(path.join(sampleModel, 'config.json'));
    expect(performance.now() - begin).toBeLessThan(2000);
    for (const abort of aborts) abort.abort();
    expect((await Promise.all(jobs)).map(({ status }) => status)).toEqual(Array(12).fill('E_CANCELLED'));
  });
});
