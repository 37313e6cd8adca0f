// The exactness gate on the sample model: decisions, memo, and that what did not run is no pass.
import { describe, expect, it } from 'vitest';
import { briefGate, planOf } from '../../../src/engine/probes/gate/checks';
import { GateMemo } from '../../../src/engine/probes/gate/memo';
import type { Model } from '../../../src/engine/types';
import type { GateExperiment } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { sample } from '../product';
import { delegate, faulty, modelWith } from './broken';
import { dflashPath, exact, problemOf, reportOf } from './support';

const experimentOf = (changes: Partial<GateExperiment> = {}): GateExperiment => ({ kind: 'gate', model: sample, drafter: null, widths: [4], draws: 2, promptLength: 32, walk: 32, batch: 1, switches: {}, override: false, ...changes });
const gate = (changes: Partial<GateExperiment> = {}, how: { model?: Model; memo?: GateMemo } = {}): Promise<ReportOf<'gate'>> => reportOf(experimentOf(changes), how);

describe('decisions', () => {
  it('engage widths below 8 and decline 8 and more under the default kernels, where the exact ones pass', async () => {
    const { verdict, gate: found } = await gate({ widths: [2, 4, 7, 8, 16] });
    expect(found.widths.map(({ used, decision, attempt, retry }) => [used, decision, attempt.exactness, retry?.exactness ?? null])).toEqual([
      [2, 'engage', 'exact', null],
      [4, 'engage', 'exact', null],
      [7, 'engage', 'exact', null],
      [8, 'decline', 'inexact', 'exact'],
      [16, 'decline', 'inexact', 'exact'],
    ]);
    const [, , , eight] = found.widths;
    expect(eight!.reason).toMatch(/^draw 1 of 2: verify block position 0 differs from the single-token chain in [\d,]+ of 8,192 logit bytes; falling back to classic decode\. The exact kernels \(switches matmul=exact and attention=exact\) pass at this width: run with them to engage it\. The setting moire\.speculation\.allowInexact \(on the command line --override\) engages it anyway$/);
    expect(eight!.retry!.switches).toMatchObject(exact);
    expect(verdict).toMatchObject({ word: 'declined', sentence: expect.stringMatching(/^Widths 8 and 16 declined; widths 2, 4 and 7 exact on what was tried\. Width 8: /) as string });
  });

  it('try draws, a walk and a walk with rewinds, and stop at the first that fails', async () => {
    const { gate: found } = await gate({ widths: [4, 8] });
    const [four, eight] = found.widths;
    expect(four!.attempt.checks.map(({ name, rows }) => [name, rows])).toEqual([
      ['draw 1 of 2', 4],
      ['draw 2 of 2', 4],
      ['walk of 32, all rows kept', 32],
      ['walk of 32 with rewinds', 32],
    ]);
    expect(eight!.attempt.checks).toHaveLength(1);
    expect(eight!.attempt.checks[0]!.first).toMatchObject({ round: 0, row: 0, totalBytes: 8192 });
  });

  it('engage every width under the exact kernels, with the taps of a drafter', async () => {
    const { verdict, gate: found, coverage } = await gate({ widths: [2, 8], switches: exact, drafter: dflashPath });
    expect(found.widths.map(({ decision }) => decision)).toEqual(['engage', 'engage']);
    expect(verdict.word).toBe('equal');
    expect(coverage.notCovered.join()).not.toContain('captured');
    expect((await gate({ widths: [2], switches: exact })).coverage.notCovered).toContain('blocks whose layers are captured for a drafter');
  });

  it('use no more rows than the drafter fills', async () => {
    const { gate: found } = await gate({ widths: [16], drafter: dflashPath, switches: exact });
    expect(found.widths[0]).toMatchObject({ asked: 16, used: 8 });
  });

  it('are loud when overridden', async () => {
    const { verdict, gate: found } = await gate({ widths: [4, 8], override: true });
    expect(found.widths.map(({ decision }) => decision)).toEqual(['engage', 'override']);
    expect(found.widths[1]!.reason).toMatch(/^OVERRIDDEN although draw 1 of 2: verify block position 0 differs .*greedy output of this width is not promised to equal classic decode/);
    expect(verdict.word).toBe('drift');
    expect(verdict.sentence).toMatch(/^Width 8 OVERRIDDEN, not exact; width 4 exact on what was tried\./);
    expect(found.override).toBe(true);
  });
});

describe('batch rows', () => {
  it('count with the width where kernels are chosen by the rows of a call', async () => {
    const decisions = async (changes: Partial<GateExperiment>): Promise<string[]> => (await gate({ widths: [2, 3, 4], batch: 3, ...changes })).gate.widths.map(({ decision }) => decision);
    expect(await decisions({})).toEqual(['engage', 'decline', 'decline']);
    expect(await decisions({ switches: exact })).toEqual(['engage', 'engage', 'engage']);
  });

  it('have ids of their own, and all of them are compared', async () => {
    const { gate: found, coverage } = await gate({ batch: 4, widths: [4], switches: exact });
    expect(found.widths[0]!.attempt.checks.map(({ name, rows }) => [name, rows])).toEqual([
      ['draw 1 of 2', 16],
      ['draw 2 of 2', 16],
      ['walk of 32, all rows kept', 128],
      ['walk of 32 with rewinds', 128],
    ]);
    expect(coverage.notCovered.join()).toContain('other batches than 4 rows');
    const ids = planOf({ draws: 2, promptLength: 8, walk: 8, batch: 4 }, 4, 5000).map(({ prompts }) => new Set(prompts.map((prompt) => prompt.join())).size);
    expect(ids).toEqual([4, 4, 4, 4]);
  });

  it('are named where one alone is wrong', async () => {
    const third = modelWith(async (open) =>
      delegate(await open(), (inner) => ({
        // The third batch row is fed the second one's ids.
        verify: (ids, options) => inner.verify(ids.length === 4 ? ids.map((row, r) => (r === 2 ? ids[1] : row)) as typeof ids : ids, options),
      })),
    );
    const { gate: found } = await gate({ batch: 4, widths: [4], switches: exact }, { model: third });
    expect(found.widths[0]!.reason).toMatch(/^draw 1 of 2: verify block position 0 of batch row 2 differs/);
  });
});

describe('a probe that does not run is a decline', () => {
  it('where the context is too short', async () => {
    const { verdict, gate: found } = await gate({ promptLength: 2040, walk: 0, widths: [4, 16] });
    expect(found.widths.map(({ decision }) => decision)).toEqual(['engage', 'decline']);
    expect(found.widths[1]!.attempt).toMatchObject({ exactness: 'not run', checks: [] });
    expect(found.widths[1]!.reason).toMatch(/^exactness probe did not run: draw 1 of 2 and its prompt are longer than the model's context .*; falling back to classic decode/);
    expect(verdict.word).toBe('declined');
  }, 60_000);

  it('where the engine fails', async () => {
    const failing = modelWith(async (open) => delegate(await open(), () => ({ verify: () => Promise.reject(new Error('out of order')) })));
    const { gate: found, verdict } = await gate({}, { model: failing });
    expect(found.widths[0]).toMatchObject({ decision: 'decline', attempt: { exactness: 'not run' } });
    expect(found.widths[0]!.reason).toContain('out of order');
    expect(verdict.word).toBe('declined');
  });
});

it('asks less before a burst where the context has no room', () => {
  expect(briefGate({ context: 4096 })).toEqual({ draws: 3, promptLength: 64, walk: 64, batch: 1 });
  expect(briefGate({ context: 96 }, 4)).toEqual({ draws: 3, promptLength: 48, walk: 48, batch: 4 });
});

it('sees a rewind that leaves what was rejected', async () => {
  const { gate: found } = await gate({}, { model: faulty({ keeps: () => null, reads: (layer, tensor) => layer === 7 && tensor === 'v' }) });
  expect(found.widths[0]).toMatchObject({ decision: 'decline', attempt: { exactness: 'inexact' } });
  expect(found.widths[0]!.reason).toMatch(/^walk of 32 with rewinds: every logit row is equal, but [\d,]+ bytes of the state differ/);
});

describe('the memo', () => {
  it('answers a second question, and not one under other switches, width, taps or input', async () => {
    const memo = new GateMemo();
    const remembered = async (changes: Partial<GateExperiment>): Promise<boolean[]> => (await gate(changes, { memo })).gate.widths.map((one) => one.remembered);
    const base = { draws: 1, walk: 8 };
    expect(await remembered({ ...base, widths: [2, 3] })).toEqual([false, false]);
    expect(await remembered({ ...base, widths: [2, 3, 4] })).toEqual([true, true, false]);
    expect(await remembered({ ...base, widths: [2], switches: { matmul: 'auto' } })).toEqual([true]);
    for (const other of [{ switches: { matmul: 'qmv' } }, { switches: { threads: 3 } }, { draws: 2 }, { promptLength: 33 }, { walk: 9 }, { batch: 2 }, { drafter: dflashPath }]) {
      expect(await remembered({ ...base, widths: [2], ...other })).toEqual([false]);
    }
  });

  it('gives the same answer as the probe, a decline too, whatever the override', async () => {
    const memo = new GateMemo();
    const first = (await gate({ widths: [8] }, { memo })).gate.widths[0]!;
    const second = (await gate({ widths: [8] }, { memo })).gate.widths[0]!;
    expect(second).toEqual({ ...first, remembered: true });
    expect((await gate({ widths: [8], override: true }, { memo })).gate.widths[0]).toMatchObject({ remembered: true, decision: 'override' });
  });

  it('forgets a probe that did not run', async () => {
    const memo = new GateMemo();
    let broken = true;
    const model = modelWith(async (open) => delegate(await open(), (inner) => ({ verify: (ids, options) => (broken ? Promise.reject(new Error('busy')) : inner.verify(ids, options)) })));
    expect((await gate({}, { model, memo })).gate.widths[0]!.decision).toBe('decline');
    broken = false;
    expect((await gate({}, { model, memo })).gate.widths[0]).toMatchObject({ decision: 'engage', remembered: false });
  });
});

it('refuses what cannot be asked', async () => {
  expect((await problemOf(gate({ switches: { matmul: 'fast' } }))).title).toBe('matmul cannot be "fast"');
  await expect(gate({ drafter: '/nonexistent' })).rejects.toThrow(/no such folder/);
});

it('throws a cancel, which is no decline', async () => {
  await expect(reportOf(experimentOf(), { call: { signal: AbortSignal.abort() } })).rejects.toThrow(/cancelled/i);
});
