// Maps without rows or positions, or with more than a page can hold: the picture says so, and nothing else of the page suffers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromCompare, ToCompare } from '../../src/shared/compareProtocol';
import type { Report } from '../../src/shared/report';
import { ViewHarness } from './harness';
import { bisectOf, inTime, patience, realReport, shownInTime } from './hostileReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const noPositions = bisectOf((run) => {
  run.cells = { positions: 0, rowBytes: run.cells.rowBytes, differingBytes: [], maxUlp: [], relL2: [] };
  run.blockIds = [];
  run.logits = { ...run.logits, differingBytes: [], maxUlp: [], maxAbs: [], relL2: [], argmaxA: [], argmaxB: [], marginA: [], marginB: [] };
});
const noRows = bisectOf((run) => {
  run.rows = [];
  run.cells = { positions: run.cells.positions, rowBytes: [], differingBytes: [], maxUlp: [], relL2: [] };
});
const noTokens = realReport('prefill', ({ prefill: { runs } }) => {
  for (const run of runs) run.map = { rows: run.map?.rows ?? [], positions: 0, taps: run.map?.taps ?? [], differing: [] };
});
const onlyForwards = realReport('prefill', ({ prefill: { runs } }) => {
  for (const run of runs) [run.map, run.partition] = [{ rows: [], positions: 30_000_000, taps: [], differing: [] }, 1];
});
const noBatch = realReport('rewind', ({ rewind }) => {
  rewind.batch = 0;
  rewind.schedule.kept = [];
});
const wideBatch = realReport('rewind', ({ rewind }) => {
  rewind.batch = 3_000_000;
  rewind.schedule = { rows: [], kept: [] };
  for (const column of Object.values(rewind.audits)) column.length = 0;
});
const longRound = realReport('parity', ({ parity: { runs } }) => {
  for (const run of runs) run.acceptedPerRound = [100_000_000, 0];
});

const reports: Readonly<Record<string, Report>> = { 'a bisect without positions': noPositions, 'a bisect without layers': noRows, 'a prefill without tokens': noTokens, 'thirty million forwards of no layer': onlyForwards, 'a rewind of no batch row': noBatch, 'a rewind of three million batch rows': wideBatch, 'a round of a hundred million drafts': longRound };

describe('a map that cannot be drawn', () => {
  it.each(Object.keys(reports))('of %s is an empty picture in a page that works', async (name) => {
    const report = reports[name]!;
    const view = await shownInTime(harness, report);
    expect(await view.page.locator('main.report h1').innerText()).toBe(report.verdict.sentence.split(/(?<=[.!?]) (?=[A-Z0-9])/)[0]);
    expect(await view.page.locator('.empty:visible').allInnerTexts()).toEqual(expect.arrayContaining([expect.stringMatching(/^(This run has no map|The report has no picture of this run)/)]));
    expect(await view.page.locator('.map-cells:visible').count()).toBe(0);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('leaves a comparison that works', async () => {
    const compare = await ViewHarness.start<FromCompare, ToCompare>('src/webview/compare/main.ts');
    try {
      for (const report of [noPositions, noRows, noTokens, noBatch]) {
        const view = await compare.open();
        const file = { type: 'report', report, fileName: 'odd.moire.json' } as const;
        await inTime(view.send({ type: 'compared', files: { a: 'file:///a', b: 'file:///b' }, a: file, b: file }));
        await view.page.locator('main.compare').waitFor({ timeout: patience });
        expect(await view.page.locator('.empty:visible').allInnerTexts()).toEqual(['There is no picture of this run in both reports.']);
        expect([...view.errors, ...(await view.violations())]).toEqual([]);
      }
    } finally {
      await compare.stop();
    }
  });
});
