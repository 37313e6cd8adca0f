// Two lists of token ids: what files may hold them, what a hostile one says, and what the comparison finds.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureLogFormat } from '../../../src/engine/acceptLogs/moireLog';
import { compareIds, decideIds, forkOf } from '../../../src/engine/probes/ids/ids';
import { readIds } from '../../../src/engine/probes/ids/readIds';
import { Problem } from '../../../src/engine/problem';
import { idsLimits, type IdsExperiment } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { formatReport, readReport } from '../../../src/shared/reportFile';
import { exitCode } from '../../../src/shared/verdict';
import { random } from '../../view/random';
import { ReferenceEngine } from './referenceEngine';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-ids-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function fileOf(content: string | Uint8Array): Promise<string> {
  const file = path.join(folder, `${(files += 1)}.txt`);
  await writeFile(file, content);
  return file;
}

const read = async (content: string | Uint8Array, request: string | null = null): Promise<readonly number[]> => (await readIds({ file: await fileOf(content), request }, {})).ids;

async function refusal(content: string | Uint8Array, request: string | null = null): Promise<{ title: string; place: string; action: string }> {
  const file = await fileOf(content);
  const error = await readIds({ file, request }, {}).then(() => null, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(Problem);
  const { kind, title, place, action } = (error as Problem).data;
  expect(kind).toBe('input');
  expect(action).not.toBe('');
  return { title, place: place.replace(file, 'FILE'), action };
}

const round = (request: string, index: number, drafts: number[], targets: number[], accepted: number, bonus: number): string =>
  JSON.stringify({ request, round: index, width: drafts.length + 1, bonus, drafts, targets, accepted, emitted: targets.slice(0, accepted + 1), ms: { draft: 1, verify: 1, accept: 0, rewind: 0 } });

const log = [
  JSON.stringify({ format: captureLogFormat, version: 1, model: 'm', drafter: 'd', engine: 'e', switches: {}, width: 3, widthFrom: 'drafter', prefill: 'causal', partition: [4], sampling: {} }),
  JSON.stringify({ request: 'one', promptIds: [1, 2], firstBonus: 10 }),
  round('one', 0, [11, 12], [11, 13, 14], 1, 10),
  JSON.stringify({ request: 'two', promptIds: [1, 2], firstBonus: 20 }),
  round('two', 0, [21, 22], [21, 22, 23], 2, 20),
  round('two', 1, [24, 25], [30, 31, 32], 0, 23),
  '',
].join('\n');

describe('a file of ids', () => {
  it.each<[string, readonly number[]]>([
    ['[1, 2, 3]', [1, 2, 3]],
    ['\ufeff[1,\n 2,\n 3]\n', [1, 2, 3]],
    ['1 2\t3\r\n4,5 , 6', [1, 2, 3, 4, 5, 6]],
    ['7', [7]],
    ['{"ids": [1, 2]}', [1, 2]],
    ['{"model": "m", "nested": {"x": [[1]]}, "tokens": [3, 4294967295]}', [3, 4294967295]],
    ['{"tokens": [9], "ids": [8]}', [8]],
  ])('%j', async (text, ids) => {
    expect(await read(text)).toEqual(ids);
  });

  it.each<[string, string, string]>([
    ['[1, 2, -3]', '"-3" is not a token id', 'FILE, line 1'],
    ['[1,\n2,\n2.5]', '"2.5" is not a token id', 'FILE, line 3'],
    ['[1, NaN]', '"NaN" is not a token id', 'FILE, line 1'],
    ['[1,\nInfinity]', '"Infinity" is not a token id', 'FILE, line 2'],
    ['[1, "2"]', '""2"" is not a token id', 'FILE, line 1'],
    ['[1, [2, 3]]', '"[2,3]" is not a token id', 'FILE, line 1'],
    ['[1, null]', '"null" is not a token id', 'FILE, line 1'],
    ['[4294967296]', '"4294967296" is not a token id', 'FILE, line 1'],
    ['[1e400]', '"null" is not a token id', 'FILE, line 1'],
    ['1 2\n3 x 4', '"x" is not a token id', 'FILE, line 2'],
    ['1\n\n-2', '"-2" is not a token id', 'FILE, line 3'],
    ['1\n1.0', '"1.0" is not a token id', 'FILE, line 2'],
    ['99999999999999999999', '"99999999999999999999" is not a token id', 'FILE, line 1'],
    ['{\n"a": 1,\n"ids": [1,\n true]}', '"true" is not a token id', 'FILE, line 4'],
    ['[]', 'This file holds no token id', 'FILE'],
    ['{"ids": []}', 'This file holds no token id', 'FILE'],
  ])('%j is refused with its line', async (text, title, place) => {
    expect(await refusal(text)).toMatchObject({ title: expect.stringContaining(title.replaceAll('""', '"')) as string, place });
  });

  it('that is no JSON list says so', async () => {
    expect((await refusal('[1, 2')).title).toMatch(/^This JSON list cannot be read: /);
    expect((await refusal('[1, 2,]')).title).toMatch(/^This JSON list cannot be read: /);
  });

  it('that holds markup or prose is named, and its text cut', async () => {
    const { title } = await refusal(`1 <img/src=x>${'y'.repeat(5000)}`);
    expect(title.length).toBeLessThan(120);
    expect((await refusal('hello world')).title).toMatch(/^This file holds no token ids: Nothing in this file is a known log/);
    expect((await refusal('')).title).toMatch(/empty/);
    expect((await refusal('{"ids": 3}')).title).toMatch(/^This file holds no token ids/);
  });

  it('that is not UTF-8 is named with the line of the first wrong byte', async () => {
    expect(await refusal(Buffer.concat([Buffer.from('1 2\n3 '), Buffer.from([0xff, 0xfe]), Buffer.from('\n4')]))).toMatchObject({ title: 'This file is not UTF-8, so its bytes are no text', place: 'FILE, line 2' });
  });

  it('that is nested, huge or too long is refused before it is believed', async () => {
    expect((await refusal(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`)).title).toMatch(/nested more than|is not a token id/);
    expect((await refusal('1 '.repeat(idsLimits.ids + 1))).title).toBe('This file holds more than 2,000,000 token ids');
    expect((await refusal(`[${'1,'.repeat(idsLimits.ids)}1]`)).title).toBe('This file holds more than 2,000,000 token ids');
    expect((await refusal(' '.repeat(idsLimits.bytes + 1))).title).toMatch(/too large for a list of token ids: it has .* at most 16/);
    expect(await read('1 '.repeat(idsLimits.ids))).toHaveLength(idsLimits.ids);
  }, 60_000);

  it('that does not exist or is a folder is named', async () => {
    const missing = path.join(folder, 'none.json');
    await expect(readIds({ file: missing, request: null }, {})).rejects.toMatchObject({ data: { kind: 'input', title: 'The token ids cannot be read: the file does not exist', place: missing } });
    const inside = path.join(folder, 'inside');
    await mkdir(inside);
    await expect(readIds({ file: inside, request: null }, {})).rejects.toMatchObject({ data: { title: 'This is not a file', place: inside } });
  });
});

describe('a log', () => {
  it('gives the ids of the request that is named, else of the one with the most, the first bonus first', async () => {
    expect(await read(log)).toEqual([20, 21, 22, 23, 30]);
    expect(await read(log, 'one')).toEqual([10, 11, 13]);
    expect(await read(log, '1')).toEqual([20, 21, 22, 23, 30]);
    expect((await refusal(log, '9')).title).toBe('There is no request 9 in this log');
    expect(await readIds({ file: await fileOf(log), request: 'one' }, {})).toMatchObject({ source: 'log', firstBonus: true, about: expect.stringMatching(/^request 0 \(one\) of a log of .*, grade A$/) as string });
  });

  it('without ids says which grade it has', async () => {
    const counts = 'llama_perf_context_print: x\ndraft acceptance rate = 0.57143 (   20 accepted /    35 generated)\n';
    expect((await refusal(counts)).title).toMatch(/^(This log does not tell the token ids of request 0: its grade is D|This file holds no token ids)/);
  });
});

const origin = { extensionVersion: '1', location: 'cli', startedAt: new Date(0) } as const;
const none = (): Promise<never> => Promise.reject(new Error('no model is to be loaded'));
const compare = async (a: string, b: string, change: Partial<IdsExperiment> = {}, load: Parameters<typeof compareIds>[0]['load'] = none): Promise<ReportOf<'ids'>> =>
  compareIds({ experiment: { kind: 'ids', a: { file: await fileOf(a), request: null }, b: { file: await fileOf(b), request: null }, model: null, ...change }, origin, call: {}, load });

const notKnown = 'so whether this is a tie or a defect is not known. To know it, replay the tokens on their model, or compare servers that tell log probabilities.';

describe('two lists', () => {
  it('that are the same are equal, with what was not covered', async () => {
    const report = await compare('[1, 2, 3]', '1 2 3');
    expect(report).toMatchObject({ complete: true, verdict: { word: 'equal', sentence: 'Both lists are the same 3 ids.' }, ids: { fork: null } });
    expect(report.coverage.notCovered.join('\n')).toMatch(/margins: no logit is known[^]*no engine ran[^]*texts of the ids/);
    expect(report.provenance.engine.abi).toBe('');
    expect(readReport(formatReport(report))).toMatchObject({ ok: true });
    expect(exitCode(report.verdict.word, report.complete)).toBe(0);
  });

  it('part at the first id that differs, which claims neither a tie nor a defect', async () => {
    const report = await compare('[1, 2, 3, 9]', '[1, 2, 4]');
    expect(report.ids.fork).toEqual({ at: 2, a: 3, b: 4 });
    expect(report.verdict).toEqual({ word: 'void', sentence: `The lists part at token 2: id 3 in A, id 4 in B. Ids tell no margin, ${notKnown}` });
    expect(exitCode(report.verdict.word, report.complete)).toBe(3);
  });

  it('of which one ends before the other part there', async () => {
    const report = await compare('[1, 2]', '[1, 2, 3]');
    expect(report.ids.fork).toEqual({ at: 2, a: -1, b: 3 });
    expect(report.verdict).toEqual({ word: 'void', sentence: `The 2 ids of A are the first of B, which goes on to 3. Ids tell neither a margin nor whether A was cut or ended there, ${notKnown}` });
    expect(decideIds({ ...report.ids, a: report.ids.b, b: report.ids.a, fork: { at: 2, a: 3, b: -1 } }).sentence).toMatch(/^The 2 ids of B are the first of A/);
    expect(readReport(formatReport(report))).toMatchObject({ ok: true });
  });

  it('have the fork that a search by hand finds', () => {
    const r = random(7);
    for (let i = 0; i < 300; i++) {
      const [a, b] = [0, 1].map(() => Array.from({ length: r.whole(0, 12) }, () => r.whole(0, 2))) as [number[], number[]];
      const at = [...Array(13).keys()].find((k) => a[k] !== b[k]);
      expect(forkOf(a, b)?.at).toBe(at);
    }
  });

  it('of a model with a tokenizer tell their texts', async () => {
    const engine = new ReferenceEngine();
    const model = await engine.load('');
    model.detokenize = (ids) => Promise.resolve({ text: '', pieces: ids.map((id) => `t${id}`), more: [] });
    const report = await compare('[1, 2, 3]', '[1, 2, 4]', { model: 'folder' }, (wanted) => {
      expect(wanted).toBe('folder');
      return Promise.resolve({ engine: engine.info(), model });
    });
    expect(report.provenance.model).not.toBeNull();
    expect(report.ids.texts).toEqual({ ids: [1, 2, 3, 4], texts: ['t1', 't2', 't3', 't4'] });
    expect(report.coverage.notCovered.join()).not.toContain('texts of the ids');
    expect(readReport(formatReport(report))).toMatchObject({ ok: true });
    model.close();
  });

  it('are not believed by a report whose fork is not theirs', async () => {
    const report = await compare('[1, 2, 3]', '[1, 2, 4]');
    for (const fork of [{ at: 1, a: 3, b: 4 }, { at: 2, a: 3, b: 5 }, { at: 9, a: 1, b: -1 }]) {
      const text = JSON.stringify({ ...report, ids: { ...report.ids, fork } });
      expect(readReport(text)).toMatchObject({ ok: false, problem: { detail: expect.stringContaining('ids.fork') as string } });
    }
  });

  it('are not compared by a run that was cancelled', async () => {
    const abort = new AbortController();
    abort.abort();
    const file = await fileOf('[1]');
    await expect(compareIds({ experiment: { kind: 'ids', a: { file, request: null }, b: { file, request: null }, model: null }, origin, call: { signal: abort.signal }, load: none })).rejects.toThrow();
  });
});
