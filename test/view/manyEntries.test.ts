// Reports of very many entries: the page stays small and quick, says what it leaves out, and gives the rest page by page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCount } from '../../src/shared/format';
import { ViewHarness } from './harness';
import { bisectOf, inTime, nodesOf, realReport, shownInTime } from './hostileReports';
import { settled } from './page';
import { sampleReport } from './reports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const list = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const mostNodes = 12_000;

const rewindOf = (length: number): ReturnType<typeof realReport<'rewind'>> =>
  realReport('rewind', ({ rewind }) => {
    const none = list(length, () => 0);
    const dropped = list(length, (i) => i);
    rewind.batch = 1;
    rewind.schedule = { rows: list(length, () => 2), kept: list(length, () => 1) };
    rewind.audits = { round: dropped, row: none, asked: dropped, dropped, traceBytes: none, keptBytes: list(length, (i) => (i === length / 2 ? 1 : 0)), chainBytes: none };
  });

describe('a page of very many entries', () => {
  it('draws a part of a switch matrix, and lists all combinations in pages', async () => {
    const count = 3000;
    const report = realReport('switches', ({ switches }) => {
      const [one] = switches.combinations;
      switches.controls = switches.controls.slice(0, 2);
      switches.controls.forEach((control, i) => (control.name = 'pq'[i]!));
      switches.combinations = list(count, (i) => ({ ...one!, switches: { p: `a${i}`, q: `b${i}` } }));
    });
    const view = await shownInTime(harness, report);
    expect(await nodesOf(view)).toBeLessThan(mostNodes);
    expect(await view.page.locator('.switch-matrix .notice').innerText()).toBe('Too many for a picture: 64 of 3,000 rows and 32 of 3,000 columns are drawn. This list has all 3,000 combinations that ran.');
    const listed = view.page.getByRole('group', { name: 'All combinations, in the order in which they ran' });
    expect(await listed.locator('tbody tr').count()).toBe(200);
    await listed.getByText('Show 200 of 2,800 more').click();
    expect(await listed.locator('tbody tr').count()).toBe(400);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('draws verdicts of more lengths than there are pixels as the gravest of each', async () => {
    const length = 100_000;
    const view = await shownInTime(harness, rewindOf(length));
    expect(await nodesOf(view)).toBeLessThan(mostNodes);
    const chart = view.page.locator('.lengths svg.chart');
    expect(await chart.getAttribute('aria-label')).toBe(`Verdict by rewound rows, ${formatCount(length)} lengths, first bad: ${length / 2}`);
    // One drift among a hundred thousand keeps its mark.
    expect((await view.page.locator('.lengths .strip.verdict-drift').getAttribute('d'))?.match(/M/g)).toHaveLength(1);
    expect((await view.page.locator('.lengths .strip.verdict-equal').getAttribute('d'))?.match(/M/g)).toHaveLength(799);
    expect(await view.page.locator('.lengths .first-bad text').textContent()).toBe('first bad: 50,000');
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('marks rows of a map that share a pixel once, and labels those that have room', async () => {
    const count = 100_000;
    const report = bisectOf((run) => {
      const { positions } = run.cells;
      run.rows = list(count, (i) => ({ label: `layer ${i}`, layer: i, kind: 'attention' }));
      run.cells = { positions, rowBytes: list(count, () => 100), differingBytes: list(count * positions, () => 1), maxUlp: list(count * positions, () => 3), relL2: list(count * positions, () => 0.1) };
    });
    const view = await shownInTime(harness, report);
    expect(await nodesOf(view)).toBeLessThan(mostNodes);
    const labels = await view.page.locator('.row-labels text:not(.letter)').evaluateAll((nodes) => nodes.map((node) => [node.lastChild?.textContent, Number(node.getAttribute('y'))] as const));
    expect(labels[0]![0]).toBe('layer 0');
    expect(labels.at(-1)![0]).toBe(`layer ${count - 1}`);
    labels.slice(1).forEach(([, y], i) => expect(y - labels[i]![1]).toBeGreaterThanOrEqual(11));
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('shows the arms of a width sweep part by part, on one scale', async () => {
    const report = realReport('widths', ({ run }) => {
      const one = run.sweep!.arms[1]!;
      run.sweep!.arms = list(5000, (i) => ({ ...one, name: `width ${i}`, width: i, againstClassic: i === 4999 ? [7.5] : one.againstClassic }));
    });
    const view = await shownInTime(harness, report);
    expect(await nodesOf(view)).toBeLessThan(mostNodes);
    const place = view.page.locator('.sweep [role=status]');
    const names = (): Promise<string[]> => view.page.locator('.sweep .arm-name').allTextContents();
    expect(await place.innerText()).toBe('Arms 1 to 50 of 5,000');
    const axis = await view.page.locator('.sweep .axis').innerHTML();
    await view.page.getByText('Next ›').first().click();
    expect(await place.innerText()).toBe('Arms 51 to 100 of 5,000');
    expect((await names())[0]).toBe('width 50');
    expect(await view.page.locator('.sweep .axis').innerHTML()).toBe(axis);
    await view.page.getByText('‹ Previous').first().click();
    expect(await names()).toEqual(list(50, (i) => `width ${i}`));
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('gives sections and lines of an account in pages', async () => {
    const report = realReport('gate', ({ gate }) => {
      const [one] = gate.widths;
      gate.widths = list(3000, (i) => ({ ...one!, asked: i, used: i }));
    });
    const view = await shownInTime(harness, report);
    expect(await nodesOf(view)).toBeLessThan(mostNodes);
    const account = view.page.locator('.account');
    expect(await account.locator('> .sections > details').count()).toBe(50);
    const lines = account.locator('.section-account-Reasons .account-line');
    expect(await lines.count()).toBe(100);
    await account.locator('.section-account-Reasons').getByText('Show 100 of 2,900 more').click();
    expect(await lines.count()).toBe(200);
    await account.locator('> .more').getByText(/^Show 50 of /).click();
    expect(await account.locator('> .sections > details').count()).toBe(100);
    // What was added folds and keeps its state like the others.
    const last = account.locator('> .sections > details').last();
    await last.locator('summary').click();
    await settled(view.page);
    expect(await last.locator('table').count()).toBe(1);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('names elements of a tensor of very many dimensions by their flat index', async () => {
    const report = structuredClone(sampleReport());
    for (const run of report.bisect.runs) for (const tile of run.tiles.slice(0, 2)) tile.shape = list(300_000, () => 1);
    const view = await shownInTime(harness, report);
    expect(await inTime(view.page.locator('.tile-panel h2').first().innerText())).toMatch(/bf16 \[(1, ){16}… 300,000 dimensions\]$/);
    expect((await view.page.locator('.tile-panel').innerText()).length).toBeLessThan(20_000);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});
