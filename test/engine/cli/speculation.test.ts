// The verbs of speculation as a user runs them: help, exit codes, reports, records, bad input.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readReport } from '../../../src/shared/reportFile';
import { cli, root, sample } from '../product';
import { expectRefused } from './refused';

const folder = await mkdtemp(path.join(tmpdir(), 'moire-speculation-'));
afterAll(() => rm(folder, { recursive: true }));

const drafter = path.join(root, 'samples/drafter');
const servedLog = path.join(root, 'test/fixtures/accept-logs/mlxcel/accept-lens-w4.log');
const exact = ['--matmul', 'exact', '--attention', 'exact'];
const ids = ['--ids', '5,6,7,8,9,10,11,12'];
const verbs = ['prefill', 'gate', 'parity', 'replay', 'rewind', 'widths', 'switches'];

describe.each([...verbs, 'record', 'logs'])('moire %s --help', (verb) => {
  it('has examples and exit codes', async () => {
    const { code, stdout, stderr } = await cli(verb, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`\\nExamples:\\n {2}\\$ moire ${verb} `));
    expect(stdout).toMatch(/\nExit codes: 0 /);
  });
});

it('moire --help names every verb', async () => {
  const { stdout } = await cli('--help');
  for (const verb of [...verbs, 'record']) expect(stdout).toMatch(new RegExp(`\\n {2}${verb} `));
});

const runs: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['replay', [sample, ...ids, '--tokens', '16', ...exact], 0, /\nequal: All 17 rows .* 9 rounds, 8 rewinds, 16 kept rows/],
  ['replay', [sample, ...ids, '--tokens', '24', '--width', '8', '--accepted', '7,2'], 1, /\n(drift|tie|defect): /],
  ['replay', [sample, ...ids, '--log', servedLog, '--form', 'block', ...exact], 0, /\nequal: .* 79 rounds, 56 rewinds, 200 kept rows\./],
  ['rewind', [sample, ...ids, '--tokens', '16', '--accepts', '1,3'], 0, /\nequal: After each of 7 rewinds/],
  ['rewind', [sample, ...ids, '--tokens', '16', '--width', '8', '--accepts', '3'], 1, /\ndrift: .*layer 0 · /],
  ['rewind', [sample, ...ids, '--tokens', '8', '--accepts', '4'], 3, /\nvoid: No round/],
  ['prefill', [sample, ...ids], 0, /\nequal: Both prefills/],
  ['prefill', [sample, '--burst-prefill', 'verify'], 1, /layer 3 \(attention\) · attention_core/],
  ['gate', [sample, '--width', '2,4', '--draws', '1', '--walk', '16'], 0, /\nequal: Widths 2 and 4 exact on what was tried\./],
  ['gate', [sample, '--width', '4,8', '--draws', '1', '--walk', '16'], 3, /\ndeclined: Width 8 declined; width 4 exact/],
  ['gate', [sample, '--width', '8', '--draws', '1', '--walk', '0', '--override'], 1, /\ndrift: Width 8 OVERRIDDEN, not exact\./],
  ['parity', [sample, '--drafter', drafter, ...ids, '--width', '2,8', '--tokens', '16', '--audit', ...exact], 0, /\nequal: Widths 2 and 8 emit classic text\./],
  ['parity', [sample, ...ids, '--width', '8', '--tokens', '8'], 3, /\ndeclined: Width 8 is declined\./],
  ['widths', [sample, '--drafter', drafter, ...ids, '--width', '2', '--tokens', '12', '--repeats', '1'], 0, /\nequal: Width 2 exact on what was tried\./],
  ['switches', [sample, '--switch', 'matmul=auto,exact', '--switch', 'threads=1,2'], 3, /\ndeclined: Of 4 combinations: 2 equal, 2 declined\. The verdict changes with matmul\./],
];

describe.each(runs)('moire %s', (verb, args, expected, words) => {
  it(`${args.filter((arg) => !arg.startsWith('/')).join(' ')} ends with ${expected}, and its report opens again and becomes a record`, async () => {
    const out = path.join(folder, `${verb}-${runs.findIndex((one) => one[1] === args)}.moire.json`);
    const { code, stdout, stderr } = await cli(verb, ...args, '--out', out);
    expect({ code, stderr }).toEqual({ code: expected, stderr: '' });
    expect(stdout).toMatch(words);
    expect(stdout).toContain('\nNot covered:\n');
    expect(stdout).not.toContain('\u001b');
    const text = await readFile(out, 'utf8');
    const read = readReport(text);
    if (!read.ok) throw new Error(read.problem.detail);
    expect(read.report).toMatchObject({ kind: verb, complete: true });
    const record = await cli('record', out, '--prediction', 'as <ever> | so');
    expect({ code: record.code, stderr: record.stderr }).toEqual({ code: 0, stderr: '' });
    expect(record.stdout).toMatch(new RegExp(`^# .*: ${read.report.verdict.word}\n`));
    expect(record.stdout).toContain('- predicted: as &lt;ever> \\| so\n');
    expect(record.stdout).toContain('\n## Not covered\n');
  }, 120_000);
});

it('prints the report alone with --json, the same as in --out', async () => {
  const out = path.join(folder, 'a.moire.json');
  const { code, stdout, stderr } = await cli('replay', sample, ...ids, '--tokens', '4', '--json', '--out', out);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(await readFile(out, 'utf8'));
  expect(readReport(stdout).ok).toBe(true);
});

it('runs prompts of a file, text and ids', async () => {
  const file = path.join(folder, 'prompts.jsonl');
  await writeFile(file, '"export function"\n\n[5, 6, 7]\n{"prompt": "const a"}\r\n{"ids": [1, 2]}\n');
  const { code, stdout } = await cli('parity', sample, '--drafter', drafter, '--prompts', file, '--width', '2', '--tokens', '4', '--json', ...exact);
  expect(code).toBe(0);
  const read = readReport(stdout);
  const parity = read.ok && read.report.kind === 'parity' ? read.report.parity : null;
  expect(parity!.prompts.map(({ source }) => source)).toEqual(['text', 'ids', 'text', 'ids']);
});

it('ends with 2 and one sentence for bad input', async () => {
  const lines = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const cases: [string[], RegExp][] = [
    [['replay', sample, '--accepts', '0'], /This cannot be run: a count of kept rows is a whole number from 1 to 256/],
    [['replay', sample, '--accepts', ''], /It has to be a list of whole numbers/],
    [['replay', sample, '--accepts', '5', '--width', '4'], /Entry 1 of the accept list keeps 5 rows of a block of 4/],
    [['replay', sample, '--accepts', '1', '--accepted', '1'], /cannot be used with option '--accepted/],
    [['replay', sample, '--fill', 'wrong,none'], /This cannot be run: /],
    [['replay', sample, '--form', 'circle'], /This cannot be run: /],
    [['replay', sample, '--request', '1'], /--request names a burst of a log, and no log was given/],
    [['replay', sample, '--log', servedLog], /has counts but no token ids \(grade B\)/],
    [['replay', sample, '--log', servedLog, '--request', '77', ...ids], /none of them is 77/],
    [['replay', sample, '--log', path.join(folder, 'none.log')], /The log cannot be read: it does not exist/],
    [['replay', sample, ...ids, '--fill', 'logged'], /cannot hold the logged drafts/],
    [['replay', sample, '--tokens', '2047'], /beyond the model's context of 2,048/],
    [['rewind', sample, '--batch', '0'], /the batch is a whole number from 1 to 64/],
    [['rewind', sample, '--log', servedLog, '--batch', '2', ...ids], /has one batch row/],
    [['prefill', sample, '--partition', 'all'], /whole number/],
    [['prefill', sample, '--burst-prefill', 'fast'], /burst\.prefill cannot be "fast" .*Use one of causal, verify/],
    [['gate', sample, '--width', '1'], /a width is a whole number from 2 to 256/],
    [['gate', sample, '--drafter', folder], /./],
    [['parity', sample, '--drafter', path.join(folder, 'none')], /no such folder|does not exist/],
    [['parity', sample, '--tokens', '1'], /the number of tokens is a whole number from 2/],
    [['parity', sample, '--draws', '65'], /This cannot be run: the number of draws is a whole number from 0 to 64/],
    [['gate', sample, '--draws', '65'], /This cannot be run: the number of draws is a whole number from 1 to 64/],
    [['parity', sample, '--prompts', path.join(folder, 'none')], /The prompt cannot be read: it does not exist/],
    [['parity', sample, '--prompts', await lines('empty.jsonl', '\n')], /This file holds no prompt/],
    [['parity', sample, '--prompts', await lines('bad.jsonl', '"a"\nb\n')], /A line of the prompts is not JSON .*bad\.jsonl, line 2/],
    [['parity', sample, '--prompts', await lines('odd.jsonl', '{"text": 1}\n')], /neither text nor a list of token ids .*line 1/],
    [['widths', sample, '--repeats', '0'], /the number of repeats is a whole number from 1 to 100/],
    [['switches', sample], /required option '-s, --switch/],
    [['switches', sample, '--switch', 'matmul'], /It has to be NAME=VALUE,VALUE/],
    [['switches', sample, '--switch', 'matmul=auto', '--probe', 'bisect'], /There is no probe "bisect" for a matrix/],
    [['switches', sample, '--switch', 'warp=1,2'], /There is no switch "warp"/],
    [['record', path.join(folder, 'none.moire.json')], /./],
    [['record', await lines('words.moire.json', 'hello')], /not a (Moire )?report/],
  ];
  await expectRefused(cases);
}, 240_000);
