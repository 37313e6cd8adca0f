// The prefill comparison on the sample model: the defect that made bursts leave classic text, and what exact kernels and partitions do.
import { describe, expect, it } from 'vitest';
import type { PrefillExperiment } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { sample } from '../product';
import { exact, problemOf, promptsOf, reportOf, sum } from './support';

// The order of fp32 sums belongs to the instruction set: whether a difference survives rounding does too.
const experimentOf = (changes: Partial<PrefillExperiment> = {}): PrefillExperiment => ({ kind: 'prefill', model: sample, prompt: { type: 'default' }, partitions: [0], switches: {}, ...changes });
const prefill = (changes: Partial<PrefillExperiment> = {}): Promise<ReportOf<'prefill'>> => reportOf(experimentOf(changes));

describe('a burst that prefills as if the prompt were a verify block', async () => {
  const { verdict, prefill: found, coverage } = await prefill({ switches: { 'burst.prefill': 'verify', isa: 'avx2' } });
  const [run] = found.runs;

  it('parts from classic prefill at the attention of layer 3, which no cache of layers 0 to 3 shows', () => {
    expect(run!.taps[0]).toMatchObject({ layer: 3, tap: 'attention_core' });
    expect(run!.firstState).toMatchObject({ layer: 4 });
    expect(sum(run!.state.filter(({ layer }) => layer < 4).map(({ differingBytes }) => differingBytes))).toBe(0);
    expect(run!.state.filter(({ layer }) => layer === 3).map(({ tensor }) => tensor)).toEqual(['k', 'v']);
    expect(run!.picture).toMatch(/^Layers 0 to 2 agree\. The arms part at layer 3 \(attention\) · attention_core, from token \d+ on .*\. K and V of layer 3 agree, its output differs; the first cache that differs is that of the next layer reached, 4 \(/);
    expect(['drift', 'tie', 'defect']).toContain(verdict.word);
    expect(verdict.sentence).toContain(run!.picture);
  });

  it('is counted tap by tap, with logits that observing did not change', () => {
    expect(run!.captureDifferingBytes).toEqual({ a: 0, b: 0 });
    expect(run!.taps[0]!.measured!.differingBytes).toBeGreaterThan(0);
    expect(run!.taps.every(({ layer }) => layer >= 3)).toBe(true);
    expect(run!.taps.filter(({ measured }) => measured !== null)).toHaveLength(12);
    for (const { differingRows, rows, firstRow, measured } of run!.taps.slice(0, 12)) {
      expect(differingRows).toBeLessThanOrEqual(rows);
      expect(firstRow + differingRows).toBeLessThanOrEqual(rows);
      expect(measured!.differingBytes).toBeLessThanOrEqual(measured!.bytes);
      // A row that differs by its hash differs in a byte.
      expect(measured!.differingBytes).toBeGreaterThanOrEqual(differingRows);
    }
    expect(run!.tapsCompared).toBeGreaterThan(100);
    expect(found.noise.repeatDifferingBytes).toBe(0);
    expect(coverage.notCovered).toContain('a prefix taken from a prompt cache');
  });

  it('has a map: of each layer and token, how many taps differ', () => {
    const { rows, positions, taps, differing } = run!.map!;
    expect(positions).toBe(found.prompt.ids.length);
    expect(sum(taps)).toBe(run!.tapsCompared);
    const byLayer = (layer: number): number => sum(run!.taps.filter((one) => one.layer === layer).map(({ differingRows }) => differingRows));
    expect(rows.map((_, row) => sum(differing.slice(row * positions, (row + 1) * positions)))).toEqual(rows.map(({ layer }) => byLayer(layer)));
    const first = rows.findIndex(({ layer }) => layer === 3);
    expect(differing.findIndex((count) => count > 0)).toBe(first * positions + Math.min(...run!.taps.filter(({ layer }) => layer === 3).map(({ firstRow }) => firstRow)));
    expect(Math.max(...differing.map((count, cell) => count - taps[Math.floor(cell / positions)]!))).toBeLessThanOrEqual(0);
  });

  it('is counted in pieces too', async () => {
    const { complete, incompleteReason, prefill: pieces } = await prefill({ switches: { 'burst.prefill': 'verify', isa: 'avx2' }, partitions: [64, 0] });
    expect({ complete, incompleteReason }).toEqual({ complete: true, incompleteReason: '' });
    expect(pieces.runs.map(({ forwards, path }) => [forwards, path])).toEqual([[7, 'verify'], [1, 'verify'], [1, 'causal']]);
    const [inPieces, whole] = pieces.runs;
    expect(whole).toEqual(run);
    expect(inPieces!.taps[0]).toMatchObject({ layer: 3, tap: 'attention_core' });
    expect(inPieces!.taps[0]!.measured!.bytes).toBe(run!.taps[0]!.measured!.bytes);
    expect(inPieces!.taps[0]!.measured!.differingBytes).toBeGreaterThanOrEqual(inPieces!.taps[0]!.differingRows);
  });

  it('is found with ids as with text', async () => {
    const again = await prefill({ switches: { 'burst.prefill': 'verify', isa: 'avx2' }, prompt: { type: 'ids', ids: found.prompt.ids } });
    expect(again.prefill.runs).toEqual(found.runs);
  });
});

it('is equal under exact kernels, whatever the path', async () => {
  const { verdict, prefill: found } = await prefill({ switches: { ...exact, 'burst.prefill': 'verify' } });
  expect(verdict).toMatchObject({ word: 'equal', sentence: expect.stringMatching(/^Both prefills give the same bytes: 0 of 8,192 /) as string });
  expect(found.runs[0]).toMatchObject({ taps: [], firstState: null, captureDifferingBytes: { a: 0, b: 0 }, picture: 'Every cache and every tap agree.' });
});

it('is equal where the burst prefills as classic decode does, in every partition', async () => {
  const { verdict, prefill: found } = await prefill({ partitions: [0, 1, 16, 64], switches: exact, prompt: { type: 'draw', draw: 1, length: 100 } });
  expect(verdict.word).toBe('equal');
  expect(found.runs.map(({ label, forwards }) => [label, forwards])).toEqual([
    ['classic against burst (causal), the whole prompt at once', 1],
    ['classic against burst (causal), pieces of 1', 100],
    ['classic against burst (causal), pieces of 16', 7],
    ['classic against burst (causal), pieces of 64', 2],
    ['classic, the whole prompt at once against pieces of 1', 100],
    ['classic, the whole prompt at once against pieces of 16', 7],
    ['classic, the whole prompt at once against pieces of 64', 2],
  ]);
  expect(found.runs.every(({ verdict: { word }, taps, firstState }) => word === 'equal' && taps.length === 0 && firstState === null)).toBe(true);
});

it('drifts between partitions under the default kernels, never between equal calls', async () => {
  const { prefill: found } = await prefill({ partitions: [0, 1, 5], prompt: { type: 'draw', draw: 0, length: 64 } });
  const words = found.runs.map(({ verdict: { word } }) => word);
  expect(words.slice(0, 3)).toEqual(['equal', 'equal', 'equal']);
  expect(words.slice(3).every((word) => word !== 'equal')).toBe(true);
  for (const { taps, firstState, captureDifferingBytes } of found.runs.slice(3)) {
    expect(taps[0]).toMatchObject({ layer: 0, measured: null });
    expect(firstState!.layer).toBe(0);
    expect(captureDifferingBytes).toEqual({ a: 0, b: 0 });
  }
});

it('takes a prompt of one token', async () => {
  const { verdict, prefill: found } = await prefill({ prompt: { type: 'ids', ids: [7] }, switches: { 'burst.prefill': 'verify', isa: 'avx2' }, partitions: [0, 8] });
  expect(found.runs).toHaveLength(3);
  expect(['equal', 'drift']).toContain(verdict.word);
});

it('refuses what the model cannot take', async () => {
  expect((await problemOf(prefill({ prompt: { type: 'draw', draw: 0, length: 2048 } }))).title).toContain("beyond the model's context of 2,048");
  expect((await problemOf(prefill({ prompt: { type: 'ids', ids: [1, 5000] } }))).title).toBe('Token id 5000 is beyond the vocabulary of 4,096');
});

it('keeps the comparisons that were done when it is cancelled', async () => {
  const [prompt] = await promptsOf(1, 64);
  const controller = new AbortController();
  const onProgress = ({ done }: { done: number }): void => {
    if (done === 2) controller.abort();
  };
  const { complete, prefill: found, verdict } = await reportOf(experimentOf({ prompt: prompt!, partitions: [0, 1, 2, 4], switches: exact }), { call: { signal: controller.signal, onProgress } });
  expect({ complete, runs: found.runs.length }).toEqual({ complete: false, runs: 2 });
  expect(verdict.sentence).toMatch(/The run is not complete\.$/);
});
