// The chart of a width sweep, on a real report of the sample.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report, ReportOf } from '../../src/shared/report';
import { ViewHarness, type ViewPage } from './harness';
import { settled } from './page';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const report = speculationReports().find((one): one is ReportOf<'widths'> => one.kind === 'widths')!;
const { arms } = report.run.sweep!;

async function opened(shown: Report): Promise<ViewPage> {
  const view = await harness.open();
  await view.send({ type: 'report', report: shown, fileName: 'widths.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

describe('the chart of a width sweep', () => {
  it('moves sideways with its table where the page is narrower, by key as well, and the page does not', async () => {
    const view = await harness.open({ width: 400 });
    await view.send({ type: 'report', report, fileName: 'widths.moire.json' });
    await view.page.locator('main.report').waitFor();
    const box = view.page.getByRole('group', { name: 'Arms of the sweep' });
    await expect.poll(() => box.getAttribute('tabindex'), { timeout: 10_000 }).toBe('0');
    const sizes = await box.evaluate((node) => ({ inner: node.scrollWidth, outer: node.clientWidth, page: document.documentElement.scrollWidth, window: window.innerWidth }));
    expect(sizes.inner).toBeGreaterThan(sizes.outer);
    expect(sizes.page).toBeLessThanOrEqual(sizes.window);
    await box.focus();
    for (let i = 0; i < 40; i++) await view.page.keyboard.press('ArrowRight');
    await expect.poll(() => box.evaluate((node) => node.scrollLeft), { timeout: 10_000 }).toBeGreaterThan(0);
    // Something at the edge says that there is more.
    expect(await box.evaluate((node) => getComputedStyle(node).backgroundImage)).toMatch(/linear-gradient/);
  });

  it('has a dot for every repeat, the faster the higher, on one axis', async () => {
    const view = await opened(report);
    const dots = await view.page.locator('.chart .repeat').evaluateAll((nodes) => nodes.map((node) => Number(node.getAttribute('cy'))));
    const ratios = arms.flatMap(({ againstClassic }) => againstClassic);
    expect(dots).toHaveLength(ratios.length);
    const line = Number(await view.page.locator('.chart .classic').getAttribute('y1'));
    // Linear, and 1 lies on the line of classic decode: a place is given by its ratio alone.
    const zero = Number((/,([\d.]+)\)/.exec((await view.page.locator('.chart .axis .tick').first().getAttribute('transform'))!) ?? [])[1]);
    dots.forEach((y, i) => expect(y).toBeCloseTo(zero + (line - zero) * ratios[i]!, 0));
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('shades what classic decode does against itself', async () => {
    const view = await opened(report);
    const nulls = arms.filter(({ width }) => width === 0).flatMap(({ againstClassic }) => againstClassic);
    const box = view.page.locator('.chart .floor');
    const [y, height, line] = [Number(await box.getAttribute('y')), Number(await box.getAttribute('height')), Number(await view.page.locator('.chart .classic').getAttribute('y1'))];
    expect(Math.max(...nulls)).toBeGreaterThan(1);
    expect(y).toBeLessThan(line);
    expect(y + height).toBeGreaterThanOrEqual(line);
  });

  it('tells of each width what it accepted, its verdict, and the kernels that others do not run', async () => {
    const view = await opened(report);
    const lines = await view.page.locator('.sweep-facts tbody tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => (cell as HTMLElement).innerText.trim())));
    const { widths } = report.widths;
    const of = (width: number): (typeof widths)[number] | undefined => widths.find(({ used }) => used === width);
    expect(lines[1]!.map((text) => text.split(/\s/)[0])).toEqual(arms.map(({ width }) => of(width)?.verdict.word ?? '–'));
    expect(lines).toHaveLength(2);
    const own = { ...report, widths: { ...report.widths, widths: widths.map((one, i) => ({ ...one, kernels: [...one.kernels, `only.${i}`] })) }, run: { ...report.run, startedAt: 'later' } };
    await view.send({ type: 'report', report: own, fileName: 'widths.moire.json' });
    await settled(view.page);
    const kernels = await view.page.locator('.sweep-facts tbody tr').nth(2).locator('td').allInnerTexts();
    expect(kernels).toEqual(arms.map(({ width }) => (width === 0 ? '–' : `only.${widths.findIndex(({ used }) => used === width)}`)));
  });

  it('is not there for a sweep without timings', async () => {
    const { sweep: _, ...run } = report.run;
    const view = await opened({ ...report, run });
    expect(await view.page.locator('.sweep').isHidden()).toBe(true);
  });
});
