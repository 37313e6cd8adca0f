// Reports that are shown in words and tables: every probe over speculation.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../../src/shared/account';
import { recordOf } from '../../src/shared/record';
import type { Report } from '../../src/shared/report';
import { ViewHarness, type ViewPage } from './harness';
import { settled } from './page';
import { hostile, poisoned } from './poison';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

async function opened(report: Report, width = 1200): Promise<ViewPage> {
  const view = await harness.open({ width });
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

const titles = (view: ViewPage): Promise<string[]> => view.page.locator('.account .section h2').allInnerTexts();

describe.each(speculationReports())('the account of $kind', (report) => {
  it('asks the question, shows every section, and opens those of first rank', async () => {
    const view = await opened(report);
    const { question, sections } = accountOf(report);
    expect(await view.page.locator('.question').innerText()).toBe(question);
    expect(await titles(view)).toEqual(sections.map(({ heading }) => heading));
    const open = await view.page.locator('.account .section').evaluateAll((nodes) => nodes.map((node) => (node as HTMLDetailsElement).open));
    expect(open).toEqual(sections.map(({ detail }) => !detail));
    const rows = await view.page.locator('.account .section[open] tbody tr').count();
    expect(rows).toBe(sections.filter(({ detail }) => !detail).flatMap(({ tables }) => tables.flatMap((table) => table.rows)).length);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('gives the whole report as a Markdown record', async () => {
    const view = await opened(report);
    await view.page.getByRole('button', { name: 'Copy as Markdown record' }).click();
    const copied = (await view.posted()).find((message) => message.type === 'copy');
    expect(copied).toEqual({ type: 'copy', text: recordOf(report) });
  });

  it('shows hostile text as text, and no text leaves the page at half the width', async () => {
    const { experiment, verdict, kind } = report;
    const poison = { ...poisoned(report), format: report.format, kind, experiment, verdict: { word: verdict.word, sentence: hostile }, run: report.run } as Report;
    const view = await opened(poison, 600);
    expect(await view.page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(await view.page.locator('main img, main script').count()).toBe(0);
    const beyond = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(beyond).toBeLessThanOrEqual(0);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});

describe('the verdict of a long sentence', () => {
  it.each([1400, 1000, 800, 500])('has at least half of a page of %d pixels', async (width) => {
    const [report] = speculationReports();
    const view = await opened(report!, width);
    const box = await view.page.locator('.headline h1').boundingBox();
    expect(box!.width).toBeGreaterThan(width / 2);
  });

  it('has its first sentence as the heading, and the others below', async () => {
    const [report] = speculationReports();
    const view = await opened({ ...report!, verdict: { word: 'drift', sentence: 'Bytes differ, 12.5 of them. The rewind is not it. 3 rounds ran.' } });
    expect(await view.page.locator('h1').innerText()).toBe('Bytes differ, 12.5 of them.');
    expect(await view.page.locator('.headline-more').innerText()).toBe('The rewind is not it. 3 rounds ran.');
  });
});
