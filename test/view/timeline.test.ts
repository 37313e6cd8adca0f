// Timelines of tokens, on real reports of the sample.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report, ReportOf } from '../../src/shared/report';
import { mappedRuns } from '../../src/webview/model/grids';
import { ViewHarness, type ViewPage } from './harness';
import { differingBins, settled } from './page';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const of = <K extends Report['kind']>(kind: K): ReportOf<K> => speculationReports().find((one) => one.kind === kind) as ReportOf<K>;

async function opened(report: Report, width = 1000): Promise<ViewPage> {
  const view = await harness.open({ width });
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

const kinds = ['parity', 'replay', 'cache', 'concurrency'] as const;

describe.each(kinds)('the timeline of %s', (kind) => {
  const report = of(kind);
  const runs = mappedRuns(report);

  it('draws of every run exactly the tokens that do not agree', async () => {
    const view = await opened(report);
    for (const [i, { grid, label }] of runs.entries()) {
      if (runs.length > 1) await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(i));
      await settled(view.page);
      expect(await view.page.locator('.picture .map').isVisible(), label).toBe(grid !== null);
      if (grid === null) continue;
      const { rows, positions } = grid;
      const { drawn, expected } = await differingBins(view, { rows: rows.length, positions, differing: [...grid.values('tokens')].map((value) => Math.abs(value)) });
      expect(drawn, label).toBe(expected);
    }
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});

describe('a timeline', () => {
  const report = of('parity');
  const withGrid = mappedRuns(report).findIndex(({ grid }) => grid !== null);

  it('has a bracket for every round, and a notch for every rewind', async () => {
    const view = await opened(report, 2400);
    await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(withGrid));
    await settled(view.page);
    const { rounds } = mappedRuns(report)[withGrid]!.grid!.tokens!;
    expect(await view.page.locator('.rounds .round title').allTextContents()).toEqual(rounds.map(({ label }) => label));
    expect(await view.page.locator('.map-boundaries .rewind').count()).toBe(rounds.filter(({ rejected }) => rejected > 0).length);
  });

  it('writes the tokens into their cells when there is room', async () => {
    const view = await opened(report);
    const run = mappedRuns(report)[withGrid]!;
    await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(withGrid));
    await view.page.locator('.map-grid').focus();
    await view.page.evaluate(() => {
      const written: string[] = [];
      Object.assign(window, { written });
      const context = document.querySelector<HTMLCanvasElement>('.map-marks')!.getContext('2d')!;
      const write = context.fillText.bind(context);
      context.fillText = (...args) => {
        written.push(args[0]);
        write(...args);
      };
    });
    for (let i = 0; i < 6; i++) await view.page.keyboard.press('+');
    await settled(view.page);
    const written = await view.page.evaluate(() => (window as unknown as { written: string[] }).written);
    const { tokens, positions, rows } = run.grid!;
    const texts = rows.flatMap((_, row) => Array.from({ length: positions }, (_one, position) => tokens!.text({ row, position })));
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((text) => !texts.includes(text))).toEqual([]);
  });

  it('shows the text that both have', async () => {
    const view = await opened(report);
    await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(withGrid));
    await settled(view.page);
    const { text } = mappedRuns(report)[withGrid]!;
    const shown = await view.page.locator('.texts .text').first().textContent();
    const common = text!.common.tokens.map((token) => token.text).join('');
    expect(shown).not.toBe('');
    expect(common.endsWith(shown!)).toBe(true);
    expect(await view.page.locator('.texts h3').allTextContents()).toEqual(text!.branches.length > 0 ? ['The same until the fork', ...text!.branches.map(({ name }) => name)] : ['The same text']);
  });
});
