// The rewind audit on the sample model: right rewinds, kernels that drift, and rewinds that are wrong on purpose.
import { describe, expect, it } from 'vitest';
import type { Model, Session } from '../../../src/engine/types';
import type { RewindExperiment } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { sample } from '../product';
import { delegate, faulty, modelWith, type Fault } from './broken';
import { exact, problemOf, promptsOf, reportOf, sum } from './support';

const [prompt] = await promptsOf(1, 24);

const experimentOf = (changes: Partial<RewindExperiment> = {}): RewindExperiment => ({
  kind: 'rewind', model: sample, width: 4, tokens: 40, prompt: prompt!, accepts: { type: 'kept', kept: [1, 2, 3, 4] }, reference: null, batch: 1, switches: exact, ...changes,
});

const audit = (changes: Partial<RewindExperiment> = {}, model?: Model): Promise<ReportOf<'rewind'>> => reportOf(experimentOf(changes), model === undefined ? {} : { model });

describe('a right rewind', () => {
  it('leaves the state of a session that never saw the rejected rows', async () => {
    const { verdict, rewind } = await audit();
    expect(verdict).toMatchObject({ word: 'equal', sentence: expect.stringMatching(/^After each of 12 rewinds the whole state .*: 0 bytes differ\.$/) as string });
    expect(rewind).toMatchObject({ rounds: 16, rewinds: 12, keptSum: 40, accepted: 24, tensors: [], first: null });
    const { audits } = rewind;
    expect(audits.asked).toEqual([3, 2, 1, 3, 2, 1, 3, 2, 1, 3, 2, 1]);
    expect(audits.dropped).toEqual(audits.asked);
    expect(sum([...audits.traceBytes, ...audits.keptBytes, ...audits.chainBytes])).toBe(0);
    expect(rewind.stateBytes).toBeGreaterThan(100_000);
    expect(rewind.how.filter(({ how }) => how === 'truncate').map(({ layer }) => layer)).toEqual([3, 7]);
    expect(rewind.how.filter(({ how }) => how === 'recompute').map(({ layer }) => layer)).toEqual([0, 1, 2, 4, 5, 6]);
  });

  it.each([2, 3, 4, 5, 6, 7])('is equal at width %i with the default kernels', async (width) => {
    const { verdict, rewind } = await audit({ width, switches: {}, accepts: { type: 'kept', kept: [1, width - 1, 2, width] } });
    expect([verdict.word, rewind.tensors]).toEqual(['equal', []]);
  });

  it('is equal at width 8 with the exact kernels', async () => {
    expect((await audit({ width: 8, accepts: { type: 'kept', kept: [1, 5, 8, 7, 2] } })).verdict.word).toBe('equal');
  });

  it('drifts at width 8 with the default kernels, which run other matmuls from 8 rows on, and leaves no trace', async () => {
    const { verdict, rewind } = await audit({ width: 8, switches: {}, accepts: { type: 'kept', kept: [1, 5, 8, 7, 2] } });
    expect(verdict.word).toBe('drift');
    expect(verdict.sentence).toMatch(/layer 0 · .*Rejected ids leave no trace/);
    expect(sum(rewind.audits.traceBytes)).toBe(0);
    expect(rewind.tensors.every(({ against }) => against !== 'trace')).toBe(true);
  });

  it('is equal in four batch rows that keep different counts', async () => {
    const { verdict, rewind } = await audit({ batch: 4, accepts: { type: 'kept', kept: [1, 4, 2, 4, 3] } });
    expect(verdict.word).toBe('equal');
    const { audits } = rewind;
    expect([...new Set(audits.row)].sort()).toEqual([0, 1, 2, 3]);
    const firstRound = audits.round.flatMap((round, i) => (round === 0 ? [[audits.row[i], audits.asked[i], audits.dropped[i]]] : []));
    expect(firstRound).toEqual([[0, 3, 3], [2, 2, 2]]);
    expect(audits.keptBytes.every((bytes) => bytes === -1)).toBe(true);
    expect(sum([...audits.traceBytes, ...audits.chainBytes])).toBe(0);
  });

  it('is void where nothing is rejected', async () => {
    expect((await audit({ accepts: { type: 'kept', kept: [4] } })).verdict).toMatchObject({ word: 'void', sentence: expect.stringContaining('nothing was rewound') as string });
  });
});

/** A rewind that does nothing and says so. */
const lazy = (session: Session): Session => delegate(session, ({ position }) => ({ rewind: (kept) => Promise.resolve({ asked: kept, dropped: kept.map(() => 0), position, layers: [] }) }));

const keepsMore: Fault['keeps'] = (kept, rows) => Math.min(kept + 1, rows);
const keepsLess: Fault['keeps'] = (kept) => Math.max(kept - 1, 1);
const recurrent = 'recurrent_state';
const conv = 'conv_state';

describe.each([
  ['exact', exact],
  ['default', {}],
] as const)('a wrong rewind under %s kernels', (_, switches) => {
  it('that drops nothing and says so is named with its round', async () => {
    const { verdict, rewind } = await audit({ switches }, modelWith(async (open) => lazy(await open())));
    expect(verdict.word).toBe('defect');
    expect(verdict.sentence).toMatch(/^In round 0 3 rows were to be dropped, 0 were\. First difference: .*after the rewind of round 0/);
    expect(rewind.audits.dropped[0]).toBe(0);
    expect(rewind.first).toMatchObject({ firstRound: 0 });
  });

  it.each<[string, Fault, number, string]>([
    ['the recurrent state of every layer with one row too many', { keeps: keepsMore, reads: (_layer, tensor) => tensor === recurrent }, 0, recurrent],
    ['the recurrent state of layer 5 with one row too many', { keeps: keepsMore, reads: (layer, tensor) => layer === 5 && tensor === recurrent }, 5, recurrent],
    ['stale keys of layer 7', { keeps: () => null, reads: (layer, tensor) => layer === 7 && tensor === 'k' }, 7, 'k'],
    ['stale values of layer 3', { keeps: () => null, reads: (layer, tensor) => layer === 3 && tensor === 'v' }, 3, 'v'],
    ['the conv state of layer 2 one row late', { keeps: keepsMore, reads: (layer, tensor) => layer === 2 && tensor === conv }, 2, conv],
  ])('%s: a trace of what was rejected', async (_name, fault, layer, tensor) => {
    const { verdict, rewind } = await audit({ switches }, faulty(fault));
    expect(verdict.word).toBe('defect');
    expect(verdict.sentence).toMatch(new RegExp(`^Rejected rows leave a trace: .*layer ${layer} · ${tensor}, element [\\d,]+, after the rewind of round 0`));
    expect(rewind.first).toMatchObject({ layer, tensor, against: 'trace', firstRound: 0 });
    expect(new Set(rewind.tensors.map((one) => one.tensor))).toEqual(new Set([tensor]));
  });

  it.each<[string, Fault, number, string]>([
    ['the conv state of layer 2 one row early', { keeps: keepsLess, reads: (layer, name) => layer === 2 && name === conv }, 2, conv],
    ['the recurrent state of layer 6 without the last kept row', { keeps: keepsLess, reads: (layer, name) => layer === 6 && name === recurrent }, 6, recurrent],
  ])('%s: no trace, and still not the state of single steps', async (_name, fault, layer, tensor) => {
    const { verdict, rewind } = await audit({ switches }, faulty(fault));
    expect(verdict.word, verdict.sentence).toBe('defect');
    // Round 0 keeps one row, which no rewind can keep less of.
    expect(verdict.sentence).toMatch(new RegExp(`layer ${layer} · ${tensor}, element [\\d,]+, after the rewind of round 1`));
    expect(rewind.first).toMatchObject({ layer, tensor, against: 'chain', firstRound: 1 });
    expect(sum(rewind.audits.traceBytes)).toBe(0);
  });
});

it('a wrong rewind at width 8 is told from the drift of the default kernels there', async () => {
  const accepts = { type: 'kept', kept: [3, 5, 8, 7, 2] } as const;
  const { verdict } = await audit({ width: 8, switches: {}, accepts: { ...accepts, kept: [...accepts.kept] } }, faulty({ keeps: keepsLess, reads: (layer, name) => layer === 6 && name === recurrent }));
  expect(verdict.word, verdict.sentence).toBe('defect');
  expect(verdict.sentence).toContain('layer 6 · recurrent_state');
});

describe('bad input', () => {
  it('a list that keeps more rows than a block has', async () => {
    expect(await problemOf(audit({ accepts: { type: 'kept', kept: [1, 5] } }))).toMatchObject({ kind: 'input', title: 'Entry 2 of the accept list keeps 5 rows of a block of 4', place: 'accept list' });
  });

  it('a context that is too short', async () => {
    expect((await problemOf(audit({ tokens: 2040 }))).title).toContain("beyond the model's context of 2,048");
  });

  it('an unknown switch', async () => {
    expect((await problemOf(audit({ switches: { 'burst.prefil': 'verify' } }))).title).toBe('There is no switch "burst.prefil"');
  });
});

it('keeps what stands when it is cancelled', async () => {
  const controller = new AbortController();
  const onProgress = ({ text }: { text: string }): void => {
    if (text.startsWith('round 6 ')) controller.abort();
  };
  const report = await reportOf(experimentOf({ tokens: 400 }), { call: { signal: controller.signal, onProgress } });
  expect(report).toMatchObject({ complete: false, incompleteReason: expect.stringContaining('cancelled') as string });
  expect(report.rewind.audits.round.length).toBeGreaterThan(2);
});
