// The bisect probe on an engine whose divergences have a known cause.
import { afterEach, describe, expect, it } from 'vitest';
import { EngineError } from '../../../src/engine/engineError';
import { bisect, BisectStopped, type BisectFindings } from '../../../src/engine/probes/bisect';
import type { Problem } from '../../../src/engine/problem';
import type { BisectRun } from '../../../src/shared/report';
import { inconsistency } from '../../../src/shared/reportConsistency';
import { formatReport } from '../../../src/shared/reportFile';
import { ReferenceEngine } from './referenceEngine';
import { ReferenceTensor } from './referenceTensor';
import { experimentOf, reportOf, reportOver, runOf } from './support';

/** What is to be known of the first tokens of a run; floor, verdict and what else is one number for all tokens are taken as they are. */
function firstTokens(run: BisectRun, tokens: number): unknown {
  const cut = (column: readonly unknown[]): unknown[] => run.rows.flatMap((_, row) => column.slice(row * run.cells.positions, row * run.cells.positions + tokens));
  const { positions: _, rowBytes, ...cells } = run.cells;
  const listed = run.differing.position.map((position) => position < tokens);
  const mapped = (columns: object, change: (column: readonly unknown[]) => unknown): object => Object.fromEntries((Object.entries(columns) as [string, unknown][]).map(([name, column]) => [name, Array.isArray(column) ? change(column) : column]));
  return {
    ...run,
    blockIds: run.blockIds.slice(0, tokens),
    cells: { positions: tokens, rowBytes, ...mapped(cells, cut) },
    differing: mapped(run.differing, (column) => column.filter((_, i) => listed[i])),
    logits: mapped(run.logits, (column) => column.slice(0, tokens)),
    tiles: expect.any(Array) as unknown,
    state: [],
    planned: run.blockIds.length,
    noise: expect.anything() as unknown,
    verdict: expect.anything() as unknown,
  };
}

afterEach(() => {
  expect(ReferenceTensor.open).toBe(0);
});

describe('where the arms part', () => {
  it('is equal below the kernel boundary and parts from it on, at the first op that ran another kernel', async () => {
    const { bisect: result, verdict } = await reportOf({ widths: [2, 4, 7, 8, 16], input: { type: 'draws', draws: 3, promptLength: 12 }, walk: 32 });
    for (const run of result.runs) {
      expect(run.verdict.word, run.label).toBe(run.width < 8 ? 'equal' : 'drift');
      expect(run.first?.tap, run.label).toBe(run.width < 8 ? undefined : 'in_proj');
    }
    const first = result.runs.find(({ width }) => width === 8)?.first;
    expect(first).toMatchObject({ row: 1, layer: 0, position: 0, kernelA: 'qmv', kernelB: 'qmm' });
    expect(first?.aHex).not.toBe(first?.bHex);
    expect(verdict.word).toBe('drift');
    expect(verdict.sentence).toMatch(/^Widths 8 and 16 differ in bytes while every greedy choice agrees: in width 8 · draw 1 of 3, bytes part first at layer 0 · in_proj, position 0.*; widths 2, 4 and 7 give the same bytes as single steps\.$/);
  });

  it('is equal to the byte at every width where the order of a sum does not matter', async () => {
    const { bisect: result, verdict } = await reportOf({ widths: [2, 3, 8, 16], switches: { matmul: 'exact' }, walk: 32 });
    expect(verdict.word).toBe('equal');
    for (const run of result.runs) {
      expect(run.cells.differingBytes.every((bytes) => bytes === 0)).toBe(true);
      expect(run.state.every(({ differingBytes }) => differingBytes === 0)).toBe(true);
    }
  });

  it('finds attention in another order at the attention core, with equal projections before it', async () => {
    const run = await runOf({ switches: { attention: 'batched' } });
    expect(run.first).toMatchObject({ layer: 1, tap: 'attention_core', kernelA: 'per_position', kernelB: 'batched' });
    expect(run.differing.tap).not.toContain('q_proj');
    expect(run.differing.tap).not.toContain('in_proj');
  });

  it('lists differing taps in data order and leaves every cell with its sum', async () => {
    const run = await runOf({ widths: [8] });
    const { row, tap, position, differingBytes } = run.differing;
    const order = ['embedding', 'layer_input', 'q_proj', 'attention_core', 'in_proj', 'delta_core', 'layer_output', 'final_norm', 'logits'];
    const keys = row.map((r, i) => r * 1000 + order.indexOf(tap[i]!) * 100 + position[i]!);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    const sums = run.cells.differingBytes.map(() => 0);
    row.forEach((r, i) => (sums[r * 8 + position[i]!]! += differingBytes[i]!));
    expect(sums).toEqual(run.cells.differingBytes);
  });

  it('keeps a tile that holds the first difference', async () => {
    const run = await runOf({ widths: [8] });
    const tile = run.tiles[run.differing.tile[0]!]!;
    const at = (run.differing.firstIndex[0]! - tile.start) * 8;
    expect(tile.a.slice(0, at)).toBe(tile.b.slice(0, at));
    expect(tile.a.slice(at, at + 8)).toBe(run.first?.aHex);
    expect(tile.b.slice(at, at + 8)).toBe(run.first?.bHex);
  });

  it('compares every tap of every layer at every position', async () => {
    const report = await reportOf({ widths: [3] });
    expect(report.bisect.runs[0]!.tapsCompared).toEqual({
      embedding: ['embedding'],
      gated_delta: ['layer_input', 'in_proj', 'delta_core', 'layer_output'],
      attention: ['layer_input', 'q_proj', 'attention_core', 'layer_output'],
      head: ['final_norm', 'logits'],
    });
    expect(report.coverage.compared.join('\n')).toContain('33 tensors');
    expect(report.bisect.runs[0]!.cells.rowBytes).toEqual([64, 256, 256, 224]);
  });
});

describe('the walk', () => {
  it('counts positions over all blocks, with a shorter block at the end', async () => {
    const run = await runOf({ widths: [8], walk: 20, input: { type: 'ids', ids: [1, 2, 3] } }).then(async () => {
      const report = await reportOf({ widths: [8], walk: 20, input: { type: 'ids', ids: [1, 2, 3] } });
      return report.bisect.runs.find(({ source }) => source === 'walk')!;
    });
    expect(run.cells.positions).toBe(20);
    expect(run.logits.argmaxA).toHaveLength(20);
    // 16 tokens in blocks of eight run qmm, the last four run qmv as single steps do.
    expect(run.kernels.find(({ op }) => op === 'in_proj')).toEqual({ layer: 0, op: 'in_proj', a: 'qmv', b: 'qmm + qmv' });
  });

  it('follows the greedy choices of single steps for a real prompt', async () => {
    const report = await reportOf({ widths: [4], walk: 12, input: { type: 'text', text: 'abc' } });
    const [prompt, walk] = report.bisect.runs;
    expect(prompt).toMatchObject({ source: 'text', promptIds: [17, 18, 19] });
    expect(walk!.blockIds.slice(0, 4)).toEqual(prompt!.blockIds);
    expect(walk!.blockIds.slice(1)).toEqual(walk!.logits.argmaxA.slice(0, -1));
    expect(report.provenance.seeds).toBe('');
  });
});

describe('what is not to be trusted', () => {
  it('calls an engine that does not repeat itself a defect', async () => {
    const run = await runOf({}, { unrepeatable: true });
    expect(run.verdict.word).toBe('defect');
    expect(run.verdict.sentence).toContain('Not reproducible');
    expect(run.noise.repeatDifferingBytes).toBeGreaterThan(0);
  });

  it('says when observing changes bytes, and does not call that equal', async () => {
    const run = await runOf({}, { tapsChangeOrder: true });
    expect(run.captureDifferingBytes.a).toBeGreaterThan(0);
    expect(run.captureDifferingBytes.b).toBeGreaterThan(0);
    expect(run.verdict.word).toBe('void');
    expect(run.verdict.sentence).toContain('cannot be trusted');
  });

  it('measures the noise floor by another order and names it', async () => {
    const run = await runOf();
    expect(Number(run.noise.floor)).toBeGreaterThan(0);
    expect(run.noise.orders).toBe('matmul auto against exact, attention per_position against exact');
    const single = await runOf({}, { oneOrder: true });
    expect(single.noise).toMatchObject({ floor: 0, orders: 'the engine offers no second reduction order' });
  });
});

describe('reports', () => {
  it('are the same bytes twice, but for the facts of the run', async () => {
    const wish = { widths: [2, 8], walk: 16 };
    const [a, b] = await Promise.all([reportOf(wish), reportOf(wish)]);
    expect(formatReport({ ...a, run: b.run })).toBe(formatReport(b));
  });

  it('say what was not covered', async () => {
    const { coverage, provenance } = await reportOf({ widths: [2] });
    const text = coverage.notCovered.join('\n');
    for (const word of ['widths other than 2', 'prefill', 'rewind', 'batch', 'thread counts other than 2', 'longer walk', 'low in entropy'].map((part) => part.replace('thread counts other than', 'other thread counts than'))) expect(text).toContain(word);
    expect(provenance).toMatchObject({ extension: '1.2.3', threads: 2, isa: 'reference', kernelsA: ['per_position', 'qmv'], kernelsB: ['per_position', 'qmv'] });
    expect(text).toContain('other instruction sets than reference');
    expect(provenance.seeds).toContain('salt = 977*d + 1');
  });

  it('name the instruction sets that kernels ran in, not the widest that might have', async () => {
    const engine = new ReferenceEngine();
    const findings = await bisect(engine, await engine.load('model'), experimentOf({ widths: [2] }));
    const { coverage } = await reportOver({ ...findings, isa: 'amx', kernelsA: ['qmv.b4g64.avx2'], kernelsB: ['qmm.b4g64.avx2'] });
    expect(coverage.compared).toContain('kernels that ran on avx2 (of at most amx), with 2 threads');
    expect(coverage.notCovered.join('\n')).toContain('other instruction sets than avx2');
  });

  it('run a width once that was asked for twice', async () => {
    const report = await reportOf({ widths: [4, 2, 4] });
    expect(report.bisect.runs.map(({ width }) => width)).toEqual([4, 2]);
  });
});

describe('a run that ends early', () => {
  async function stopped(engine: ReferenceEngine, stopAfter: number, tellEveryMs = Infinity): Promise<{ error: unknown; seen: BisectFindings[] }> {
    const controller = new AbortController();
    const seen: BisectFindings[] = [];
    const model = await engine.load('model');
    const onFindings = (findings: BisectFindings): Promise<void> => {
      seen.push(findings);
      if (seen.length === stopAfter) controller.abort();
      return Promise.resolve();
    };
    const error: unknown = await bisect(engine, model, experimentOf({ widths: [2, 4, 8] }), { signal: controller.signal, onFindings, tellEveryMs }).catch((thrown: unknown) => thrown);
    return { error, seen };
  }

  it('keeps the comparisons that were done when it is cancelled, and leaves no session open', async () => {
    const engine = new ReferenceEngine();
    const { error, seen } = await stopped(engine, 2);
    expect(error).toBeInstanceOf(BisectStopped);
    const { findings, cause } = error as BisectStopped;
    expect(findings.runs.map(({ width }) => width)).toEqual([2, 4]);
    expect(findings.planned).toBe(3);
    expect((cause as Problem).data.kind).toBe('cancelled');
    expect(seen.map(({ runs }) => runs.length)).toEqual([1, 2]);
    expect(engine.sessions).toBe(0);
  });

  it('keeps the tokens that were compared of the one that it was at', async () => {
    const { error, seen } = await stopped(new ReferenceEngine(), 11, 0);
    // Two tokens of width 2, four of width 4, five of eight.
    expect(seen.map(({ runs }) => runs.at(-1)!).map(({ width, blockIds, planned }) => [width, blockIds.length, planned])).toEqual([
      ...[[2, 1, 2], [2, 2, undefined]],
      ...[[4, 1, 4], [4, 2, 4], [4, 3, 4], [4, 4, undefined]],
      ...[1, 2, 3, 4, 5].map((tokens) => [8, tokens, 8]),
    ]); // prettier-ignore
    const { runs } = (error as BisectStopped).findings;
    expect(runs).toEqual(seen.at(-1)!.runs);
    const [part, whole] = [runs[2]!, (await reportOf({ widths: [2, 4, 8] })).bisect.runs[2]!];
    expect(part).toEqual(firstTokens(whole, 5));
    expect(part.first).not.toBe(null);
    for (const findings of seen) expect(inconsistency(await reportOver(findings))).toBe('');
  });

  it('keeps them when the engine fails, with the reason', async () => {
    const failure = new EngineError('E_MEMORY', '', 'out of memory');
    const engine = new ReferenceEngine({ failAtForward: { n: 30, error: failure } });
    const { error } = await stopped(engine, -1);
    expect((error as BisectStopped).cause).toBe(failure);
    expect((error as BisectStopped).findings.runs.length).toBeGreaterThan(0);
    expect(engine.sessions).toBe(0);
  });
});

describe('progress', () => {
  it('grows to its total', async () => {
    const engine = new ReferenceEngine();
    const steps: { done: number; total: number; text: string }[] = [];
    await bisect(engine, await engine.load('model'), experimentOf({ widths: [2, 4], walk: 8 }), { onProgress: (step) => steps.push(step) });
    expect(steps.every(({ done }, i) => i === 0 || done >= steps[i - 1]!.done)).toBe(true);
    expect(steps.at(-1)).toMatchObject({ done: 22, total: 22 });
    expect(steps.map(({ text }) => text)).toContain('width 4 · draw 1 of 1 · token 3 of 4');
  });
});
