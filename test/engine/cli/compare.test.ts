// `moire compare` on two bisects that this command line makes of the sample: one under other kernels than the other.
import { mkdtemp, rm, writeFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, root, sample } from '../product';
import { expectRefused } from './refused';

let folder = '';
let [before, after] = ['', ''];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-compare-'));
  [before, after] = [path.join(folder, 'before.moire.json'), path.join(folder, 'after.moire.json')];
  const bisect = ['bisect', sample, '--width', '2,8', '--draws', '1', '--prompt-length', '8', '--walk', '0'];
  expect((await cli(...bisect, '--out', before)).code).toBe(1);
  expect((await cli(...bisect, '--matmul', 'exact', '--out', after)).code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true }));

describe('moire compare', () => {
  it('tells what a switch mended, and ends with 1', async () => {
    const { code, stdout, stderr } = await cli('compare', before, after);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^What became of before\.moire\.json \(A\) in after\.moire\.json \(B\)\?\n/);
    expect(stdout).toMatch(/\n {2}Experiment +switches · matmul +\S.* +exact\n/);
    const [, fixed, added] = /width 8 · draw 1 of 1 +(?:drift|tie) +equal +(\d+) +(\d+)/.exec(stdout)!;
    const report = JSON.parse(await readFile(before, 'utf8')) as { bisect: { runs: { cells: { differingBytes: number[] } }[] } };
    expect(Number(fixed)).toBe(report.bisect.runs[1]!.cells.differingBytes.filter((bytes) => bytes > 0).length);
    expect(added).toBe('0');
    expect(stdout.trimEnd()).toMatch(new RegExp(`The verdict went from (drift|tie) to equal; ${fixed!} cells fixed, 0 new, 0 changed\\.$`));
    expect((await cli('compare', after, before)).stdout).toMatch(new RegExp(`0 cells fixed, ${fixed!} new, 0 changed\\.\n$`));
  });

  it('ends with 0 when both found the same', async () => {
    const again = path.join(folder, 'again.moire.json');
    await cli('bisect', sample, '--width', '2,8', '--draws', '1', '--prompt-length', '8', '--walk', '0', '--threads', '1', '--out', again);
    const { code, stdout } = await cli('compare', before, again);
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'Both reports found the same.']);
  });

  it('gives a Markdown record', async () => {
    const { code, stdout } = await cli('compare', before, after, '--markdown');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^# What became of before\.moire\.json \(A\) in after\.moire\.json \(B\)\?\n\nThe verdict went from/);
    expect(stdout).toMatch(/\n## What differs in how they came to be\n\n\| of \| what \| A \| B \|\n/);
    expect(stdout).toMatch(/\n\| width 8 · draw 1 of 1 \| (drift|tie) \| equal \|/);
  });

  it('refuses what is no report', async () => {
    const other = path.join(folder, 'other.json');
    await writeFile(other, '{}');
    await expectRefused([
      [['compare', before, other], /not a Moire report/],
      [['compare', path.join(folder, 'none.moire.json'), before], /does not exist|no such|not exist/i],
      [['compare', before], /missing required argument 'b'/],
    ]);
  });

  it.each([
    ['rewind', 'rewind.batch', { batch: Number.MAX_SAFE_INTEGER, schedule: { rows: [], kept: [] }, audits: { round: [], row: [], asked: [], dropped: [], traceBytes: [], keptBytes: [], chainBytes: [] } }],
    ['rewind', 'rewind.schedule.kept.0', { schedule: { rows: [4], kept: [Number.MAX_SAFE_INTEGER] } }],
    ['prefill', 'prefill.runs.0.map.rows', { runs: { map: { rows: [], positions: 1e9, taps: [], differing: [] } } }],
  ])('refuses a %s report whose %s contradicts it, with the file and the field', async (kind, field, changes) => {
    const report = JSON.parse(await readFile(path.join(root, `test/fixtures/reports/${kind}.moire.json`), 'utf8')) as Record<string, { runs?: object[] }>;
    const { runs, ...others } = changes as { runs?: object };
    Object.assign(report[kind]!, others);
    if (runs !== undefined) Object.assign(report[kind]!.runs![0]!, runs);
    const file = path.join(folder, 'hostile.moire.json');
    await writeFile(file, JSON.stringify(report));
    await expectRefused([[['compare', file, file], new RegExp(`damaged or was changed by hand\\. ${field.replaceAll('.', '\\.')}: .*hostile\\.moire\\.json`)]]);
    expect((await cli('compare', file, file)).stderr).not.toMatch(/doctor/);
  });
});
