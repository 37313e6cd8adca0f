// Accept-sequence replays over the sample model: counts of known patterns, logs of real bursts, what differences point to, and bad input.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { shiftOf } from '../../../src/engine/probes/replay/logFindings';
import type { Model } from '../../../src/engine/types';
import type { ReplayExperiment } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { root, sample } from '../product';
import { delegate, faulty, modelWith } from './broken';
import { served, writeCapture, writeSeedLog } from './logs';
import { dflashPath, exact, problemOf, promptsOf, reportOf, sum, target } from './support';

const folder = await mkdtemp(path.join(tmpdir(), 'moire-replay-'));
afterAll(() => rm(folder, { recursive: true }));
const [prompt] = await promptsOf(1, 8);
const promptIds = prompt!.type === 'ids' ? prompt!.ids : [];

const experimentOf = (changes: Partial<ReplayExperiment> = {}): ReplayExperiment => ({
  kind: 'replay', model: sample, width: 4, tokens: 24, prompt: prompt!, accepts: { type: 'kept', kept: [1, 2, 3] }, reference: null, fills: ['wrong'], forms: ['block', 'kept', 'chain'], switches: exact, ...changes,
});
const replay = (changes: Partial<ReplayExperiment> = {}, model?: Model): Promise<ReportOf<'replay'>> => reportOf(experimentOf(changes), model === undefined ? {} : { model });
const refused = (changes: Partial<ReplayExperiment>): ReturnType<typeof problemOf> => problemOf(replay(changes));
const kept = (...rows: number[]): ReplayExperiment['accepts'] => ({ type: 'kept', kept: rows });
const log = (file: string, request: string | null = null): ReplayExperiment['accepts'] => ({ type: 'log', file, request });

it('keeps the text of every id that its timeline shows', async () => {
  const { replay: found } = await replay();
  const texts = new Map(found.texts!.ids.map((id, i) => [id, found.texts!.texts[i]!]));
  const shown = [...found.prompt.ids, ...found.reference.ids, ...found.runs.flatMap(({ rows }) => [...rows.argmaxA, ...rows.argmaxB])];
  expect([...texts.keys()]).toEqual([...new Set(shown)].toSorted((a, b) => a - b));
  expect(found.reference.ids.map((id) => texts.get(id))).toEqual((await target.detokenize(found.reference.ids)).pieces);
});

const servedLog = path.join(root, 'test/fixtures/accept-logs/mlxcel/accept-lens-w4.log');

describe('counts over 200 tokens at width 4', () => {
  it.each([
    [[1, 2, 3], 101, 100],
    [[1, 2, 3, 4], 80, 60],
    [[4, 1], 80, 39],
    [[4, 4, 1], 67, 22],
    [[1, 4, 2, 4, 3], 72, 43],
    [[2, 4, 1, 3, 4, 4, 1, 1], 80, 49],
  ])('%j: %i rounds, %i rewinds, equal with wrong ids in every rejected row', async (list, rounds, rewinds) => {
    const { verdict, replay: found } = await replay({ tokens: 200, accepts: kept(...list), forms: ['block'], switches: {} });
    expect(found).toMatchObject({ rounds, rewinds, keptSum: 200, accepted: 200 - rounds, noise: { repeatDifferingBytes: 0 } });
    expect(found.zero + found.partial + found.full).toBe(rounds);
    expect(verdict).toMatchObject({ word: 'equal', sentence: expect.stringMatching(/All 201 rows have the bytes of the classic chain: 0 of 1,646,592 logit bytes differ/) as string });
    expect(found.runs[0]!.rewinds).toBe(rewinds);
  });

  it('of the served list, with a prompt of ours: as many as the log says', async () => {
    const { verdict, replay: found } = await replay({ accepts: log(servedLog), forms: ['block'], switches: {} });
    expect(found).toMatchObject({ rounds: 79, rewinds: 56, keptSum: 200, accepted: 121, zero: 22, partial: 34, full: 23 });
    expect(found.log).toMatchObject({ rounds: 79, rewinds: 56, keptSum: 200, accepted: 121, grade: 'B', findings: [] });
    expect(found.log!.notes).toEqual([expect.stringMatching(/^The request of the log had 158 prompt tokens, the prompt here has 8, so this is not the served run\. Give the served prompt with --ids or --prompt-file\.$/)]);
    expect(verdict.word).toBe('equal');
    expect(verdict.sentence).toMatch(/ 79 rounds, 56 rewinds, 200 kept rows\.$/);
    const list = (await readFile(path.join(root, 'test/fixtures/accept-logs/mlxcel/kept-w4.txt'), 'utf8')).trim().split(',').map(Number);
    expect(found.schedule.kept).toEqual(list);
  });
});

describe('arms', () => {
  it('run every form, whole blocks with every fill, and are equal under exact kernels', async () => {
    const { verdict, replay: found } = await replay({ fills: ['wrong', 'random', 'correct'], accepts: kept(1, 4, 2) });
    expect(found.runs.map(({ form, fill }) => `${form} ${fill}`)).toEqual(['block wrong', 'block random', 'block correct', 'kept correct', 'chain correct']);
    expect(found.runs.map(({ rewinds }) => rewinds > 0)).toEqual([true, true, true, false, false]);
    expect(new Set(found.runs.map(({ verdict: { word } }) => word))).toEqual(new Set(['equal']));
    for (const { rows, state } of found.runs) {
      expect(rows.differingBytes).toHaveLength(25);
      expect(state.length).toBe(16);
    }
    expect(found.attribution).toBe('Nothing differs, so there is nothing to attribute.');
    expect(verdict.word).toBe('equal');
    expect(found.reference).toMatchObject({ source: 'greedy', leavesAt: -1 });
  });

  it('drift at width 8 with the default kernels, and the shape of the forward is named', async () => {
    const { verdict, replay: found } = await replay({ width: 8, tokens: 64, accepts: kept(8, 8, 3), switches: {} });
    expect(['drift', 'tie']).toContain(verdict.word);
    expect(found.runs.find(({ form }) => form === 'chain')!.verdict.word).toBe('equal');
    expect(found.attribution).toMatch(/^Blocks of the kept rows alone, which never rewind, differ too: the shape of the forward does it/);
    expect(verdict.sentence).toContain(found.attribution);
  });

  it('tell the wider forward apart where blocks of the kept rows are narrow enough', async () => {
    const { replay: found } = await replay({ width: 8, accepts: kept(3, 2), switches: {} });
    expect(found.attribution).toMatch(/^Blocks of the kept rows alone are equal, whole blocks are not: the wider forward or the rewind does it/);
  });

  it('point at the rewind where only some fills differ', async () => {
    // A rewind that forgets to drop the last rejected row, which it should.
    const model = modelWith(async (open) => delegate(await open(), (inner) => ({ rewind: (rows) => inner.rewind(rows.map((n) => n + 1)) })));
    const { verdict, replay: found } = await replay({ fills: ['wrong', 'correct'], accepts: kept(2, 3) }, model);
    expect(verdict).toMatchObject({ word: 'defect', sentence: expect.stringMatching(/In round 0 a rewind was asked to drop 2 rows and dropped 1/) as string });
    expect(found.runs[0]!.misdropped[0]).toEqual({ round: 0, asked: 2, dropped: 1 });
  });

  it('say that what is rejected leaves a trace', async () => {
    const { verdict, replay: found } = await replay({ fills: ['wrong', 'correct'], accepts: kept(2, 4), forms: ['block'] }, faulty({ keeps: () => null, reads: (layer, tensor) => layer === 3 && tensor === 'k' }));
    expect(verdict.word).toBe('defect');
    expect(found.runs.every(({ state }) => state.some(({ layer, tensor, differingBytes }) => layer === 3 && tensor === 'k' && differingBytes > 0))).toBe(true);
  });

  it('are void in nothing: the prefill alone is a row', async () => {
    const { replay: found } = await replay({ tokens: 1, accepts: kept(1) });
    expect(found).toMatchObject({ rounds: 1, rewinds: 0, keptSum: 1 });
    expect(found.runs[0]!.rows.differingBytes).toHaveLength(2);
  });

  it('differ from the first row on under the prefill of a verify block', async () => {
    const { verdict, replay: found } = await replay({ prompt: { type: 'default' }, switches: { 'burst.prefill': 'verify' }, accepts: kept(4), tokens: 8 });
    expect(verdict.word).not.toBe('equal');
    expect(found.runs[0]!.first).toEqual({ position: 0, round: 0, row: 0 });
    expect(found.attribution).toMatch(/^The prefills differ before the first round/);
  });
});

describe('a log with the ids of every round', async () => {
  const burst = await served(dflashPath, promptIds, { switches: exact });
  const capture = await writeCapture(folder, burst);
  const seed = await writeSeedLog(folder, capture);
  const counts = { rounds: burst.accepted.length, rewinds: burst.rewinds, keptSum: burst.keptSum, accepted: sum(burst.accepted) };

  it('of Moire is replayed by itself: prompt, transcript, drafts', async () => {
    const { verdict, replay: found } = await replay({ accepts: log(capture), prompt: { type: 'default' }, fills: ['logged', 'wrong'] });
    expect(found).toMatchObject({ ...counts, log: { ...counts, grade: 'A', findings: [], notes: [], name: 'req-1' }, prompt: { source: 'log', ids: promptIds } });
    expect(found.reference).toMatchObject({ source: 'log', leavesAt: -1 });
    expect(found.reference.ids.slice(0, 20)).toEqual(burst.burst.rows[0]!.ids.slice(0, 20));
    expect(verdict.word).toBe('equal');
    expect(found.runs.every(({ rows, state }) => sum([...rows.differingBytes, ...state.map(({ differingBytes }) => differingBytes)]) === 0)).toBe(true);
  });

  it('as lines of a served log is replayed with its prompt', async () => {
    const { verdict, replay: found } = await replay({ accepts: log(seed), fills: ['logged'] });
    expect(found).toMatchObject({ ...counts, log: { ...counts, grade: 'A', findings: [] }, reference: { source: 'log', leavesAt: -1 } });
    expect(verdict.word).toBe('equal');
  });

  it('is told apart from a prompt that is one token off', async () => {
    const { verdict, replay: found } = await replay({ accepts: log(capture), prompt: { type: 'ids', ids: promptIds.slice(0, -1) } });
    expect(found.log!.notes[0]).toMatch(/^The request of the log had 8 prompt tokens, the prompt here has 7, so this is not the served run\. They are one apart: a prompt file whose last newline was lost/);
    expect(verdict.sentence).toContain('They are one apart');
    expect(found.reference.leavesAt).toBeGreaterThan(-1);
  });

  it('names line and round of an accept that no block can hold', async () => {
    const file = path.join(folder, 'wrong.moire-capture.jsonl');
    const lines = (await readFile(capture, 'utf8')).split('\n');
    const at = lines.findIndex((line) => line.includes('"round":3,'));
    lines[at] = lines[at]!.replace(/"accepted":\d+/, '"accepted":4');
    await writeFile(file, lines.join('\n'));
    const { title, place } = await refused({ accepts: log(file) });
    expect([title, place]).toEqual([`line ${at + 1}: round 3 accepted 4 drafts, a block of 4 has 3`, file]);
  });

  it('is refused with a reference that is shorter than it', async () => {
    expect((await refused({ accepts: log(capture), reference: burst.burst.rows[0]!.ids.slice(0, 10) })).title).toBe(`The reference has 10 ids, the log keeps ${burst.keptSum} rows`);
  });

  it('has a defect where its own counts do not hold', async () => {
    const file = path.join(folder, 'violated.moire-capture.jsonl');
    await writeFile(file, (await readFile(capture, 'utf8')).replace(/"bonus":\d+(?=[^\n]*\n[^\n]*"end")/, '"bonus":1'));
    const { verdict, replay: found } = await replay({ accepts: log(file), forms: ['block'] });
    expect(found.log!.findings.length).toBeGreaterThan(0);
    expect(verdict.word).toBe('defect');
    expect(verdict.sentence).toContain(found.log!.findings[0]);
  });
});

describe('a reference that is moved by one', () => {
  const text = Array.from({ length: 20 }, (_, i) => (i * i) % 97);

  it('is told with the direction', () => {
    expect(shiftOf(text.slice(1), text)).toMatch(/moved one token earlier: it begins with the last token of the prompt/);
    expect(shiftOf(text, text.slice(1))).toMatch(/moved one token later: its first token is missing/);
  });

  it('is not seen in one that fits, that fits nowhere, or that is short', () => {
    expect(shiftOf(text, text)).toBe('');
    expect(shiftOf(text, text.map((id) => id + 1000))).toBe('');
    expect(shiftOf(text.slice(1, 6), text.slice(0, 6))).toBe('');
    expect(shiftOf(Array<number>(20).fill(3), Array<number>(20).fill(3))).toBe('');
  });
});

describe('bad input', () => {
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };

  it('a list that keeps more rows than a block', async () => {
    expect(await refused({ accepts: kept(1, 2, 6) })).toMatchObject({ kind: 'input', title: 'Entry 3 of the accept list keeps 6 rows of a block of 4', action: expect.stringContaining('1 to 4') as string });
  });

  it('logged drafts that the list does not have', async () => {
    expect((await refused({ fills: ['logged'] })).title).toContain('cannot hold the logged drafts');
    expect((await refused({ fills: ['logged'], accepts: log(servedLog) })).title).toContain('cannot hold the logged drafts');
  });

  it('a log without ids and without a prompt', async () => {
    const { title, action } = await refused({ accepts: log(servedLog), prompt: { type: 'default' } });
    expect(title).toMatch(/^Burst \d+ of this log has counts but no token ids \(grade B\)/);
    expect(action).toContain('--reference');
  });

  it('a log without counts of every round', async () => {
    const logs = path.join(root, 'test/fixtures/accept-logs');
    for (const name of ['mlxcel/info-only-w4.log', 'vllm/summary.json']) {
      const { title, action } = await refused({ accepts: log(path.join(logs, name)) });
      expect(title).toBe('This log holds no accepted count of every round (grade C), so there is no sequence to replay');
      expect(action).toContain('Grade A');
    }
  });

  it('a burst that the log does not have', async () => {
    const { title, action } = await refused({ accepts: log(servedLog, '99') });
    expect(title).toMatch(/^The log has \d+ bursts?, none of them is 99$/);
    expect(action).toMatch(/Use 0 to \d+/);
  });

  it('a file that is no log, or not there', async () => {
    expect((await refused({ accepts: log(path.join(folder, 'none')) })).title).toBe('The log cannot be read: it does not exist');
    expect((await refused({ accepts: log(await write('words.log', 'hello\n')) })).title).toContain('known log');
  });

  it('ids that the model does not have, and a context that is too short', async () => {
    expect((await refused({ reference: [1, 4096] })).title).toBe('Token id 4096 is beyond the vocabulary of 4,096');
    expect((await refused({ tokens: 2041 })).title).toContain("beyond the model's context of 2,048");
    expect((await refused({ switches: { matmul: 'fast' } })).title).toBe('matmul cannot be "fast"');
  });
});
