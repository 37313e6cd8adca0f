// The map of a prefill comparison, on a real report of the sample: pieces of 64 tokens, prefilled as verify blocks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report, ReportOf } from '../../src/shared/report';
import { ViewHarness, type ViewPage } from './harness';
import { differingBins, settled } from './page';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const report = speculationReports().find((one): one is ReportOf<'prefill'> => one.kind === 'prefill')!;
const { runs } = report.prefill;

async function opened(shown: Report, width = 900): Promise<ViewPage> {
  const view = await harness.open({ width });
  await view.send({ type: 'report', report: shown, fileName: 'prefill.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

async function chosen(view: ViewPage, run: number): Promise<void> {
  await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(run));
  await settled(view.page);
}

describe('the map of a prefill comparison', () => {
  it('shows of every comparison exactly the tokens whose taps differ', async () => {
    const view = await opened(report);
    for (const [i, { map }] of runs.entries()) {
      await chosen(view, i);
      const { drawn, expected } = await differingBins(view, { ...map!, rows: map!.rows.length });
      expect(drawn, runs[i]!.label).toBe(expected);
      expect(drawn.includes('1')).toBe(runs[i]!.verdict.word !== 'equal');
    }
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('has a line where each forward of the prompt begins', async () => {
    const view = await opened(report);
    const lines = (): Promise<string[]> => view.page.locator('.map-boundaries line title').allTextContents();
    await chosen(view, 0);
    expect(await lines()).toEqual([]);
    await chosen(view, 1);
    expect((await lines()).map((line) => /token (\d+)/.exec(line)![1])).toEqual(['64', '128', '192', '256', '320', '384']);
  });

  it('starts where the arms part and goes from one difference to the next by key', async () => {
    const view = await opened(report);
    const [run] = runs;
    const words = (): Promise<string> => view.page.locator('.cell-words').innerText();
    expect(await words()).toMatch(new RegExp(`^layer ${run!.taps[0]!.layer} · token ${run!.taps[0]!.firstRow}: \\d+ of \\d+ taps differ$`));
    await view.page.locator('.map-grid').focus();
    await view.page.keyboard.press('n');
    const { differing, positions, rows } = run!.map!;
    const first = rows.findIndex(({ layer }) => layer === run!.taps[0]!.layer) * positions + run!.taps[0]!.firstRow;
    const next = differing.findIndex((count, cell) => cell > first && count > 0);
    expect(await words()).toContain(`${rows[Math.floor(next / positions)]!.label} · token ${next % positions}:`);
    await view.page.keyboard.press('Control+Home');
    expect(await words()).toBe('embedding · token 0: equal, 1 tap compared');
  });

  it('says why there is none', async () => {
    const without = { ...report, prefill: { ...report.prefill, runs: runs.map(({ map: _, ...run }) => run) } };
    const view = await opened(without);
    expect(await view.page.locator('.picture .empty').innerText()).toMatch(/^The report has no picture of this run/);
    expect(await view.page.locator('.map').isHidden()).toBe(true);
  });
});
