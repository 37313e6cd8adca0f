// Reports on disk: whole or not at all, and never a raw error.
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '../../../src/engine/problem';
import { loadReport, saveReport } from '../../../src/engine/reportStore';
import { reportBytesLimit } from '../../../src/shared/reportFile';
import type { Report } from '../../../src/shared/report';
import { reportOf } from './support';

let folder = '';
const file = (name: string): string => path.join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-store-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function problemOf(work: Promise<unknown>): Promise<Problem['data']> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Problem);
  return (thrown as Problem).data;
}

it('gives back what was saved', async () => {
  const report = await reportOf({ widths: [2, 8], walk: 8 });
  await saveReport(report, file('a.moire.json'));
  expect(await loadReport(file('a.moire.json'))).toEqual(report);
  expect(await readdir(folder)).toEqual(['a.moire.json']);
});

it('leaves an old report whole when the new one is not valid', async () => {
  const report = await reportOf();
  await saveReport(report, file('a.moire.json'));
  const before = await readFile(file('a.moire.json'), 'utf8');
  const broken = { ...report, bisect: { runs: report.bisect.runs.map((run) => ({ ...run, blockIds: [] })) } };
  await problemOf(saveReport(broken, file('a.moire.json')));
  await problemOf(saveReport({ ...report, complete: 'yes' } as unknown as Report, file('a.moire.json')));
  expect(await readFile(file('a.moire.json'), 'utf8')).toBe(before);
  expect(await readdir(folder)).toEqual(['a.moire.json']);
});

describe('a target that cannot be written', () => {
  it('is named with the reason', async () => {
    const report = await reportOf();
    expect(await problemOf(saveReport(report, file('none/a.moire.json')))).toMatchObject({ kind: 'environment', title: 'The report cannot be saved: the folder does not exist', place: file('none/a.moire.json') });
    expect((await problemOf(saveReport(report, folder))).title).toMatch(/there is a folder of that name/);
  });

  it.skipIf(process.platform !== 'linux')('as on a full disk leaves nothing half-written', async () => {
    const data = await problemOf(saveReport(await reportOf(), '/dev/full/a.moire.json'));
    expect(data.title).toBe('The report cannot be saved: a part of the path is not a folder');
  });
});

describe('a file that cannot be read', () => {
  it('is missing, a folder, or too large', async () => {
    expect((await problemOf(loadReport(file('none.moire.json')))).title).toBe('The report cannot be read: it does not exist');
    expect((await problemOf(loadReport(folder))).title).toBe('This is not a file');
    const handle = await open(file('large.moire.json'), 'w');
    await handle.truncate(500 * 1024 * 1024);
    await handle.close();
    const data = await problemOf(loadReport(file('large.moire.json')));
    expect(data.title).toContain('too large');
    expect(data.title).toContain(String(reportBytesLimit / 1024 / 1024));
  });

  it('is no report', async () => {
    await writeFile(file('x.moire.json'), Buffer.from([0xff, 0xfe, 0x00, 0x7b]));
    expect(await problemOf(loadReport(file('x.moire.json')))).toMatchObject({ kind: 'input', place: file('x.moire.json') });
  });
});
