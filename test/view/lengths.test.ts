// Charts of verdicts by length and of a switch matrix, in the browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/shared/report';
import { lengthChart } from '../../src/webview/model/lengths';
import { ViewHarness, type ViewPage } from './harness';
import { lastSelection, settled } from './page';
import { bisectReport, sampleReport } from './reports';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

async function opened(report: Report, width = 1000): Promise<ViewPage> {
  const view = await harness.open({ width });
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

const real = (kind: Report['kind']): Report => speculationReports().find((one) => one.kind === kind)!;

describe('verdicts by length', () => {
  const words = ['equal', 'equal', 'drift', 'defect'] as const;
  const report = bisectReport([2, 4, 8, 16].map((width, i) => ({ ...sampleReport().bisect.runs[0]!, width, verdict: { word: words[i]!, sentence: 'So.' } })));

  it('have a point a length, in order, and say where the first bad one is', async () => {
    const view = await opened(report);
    const points = view.page.locator('.lengths .point');
    expect(await points.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')))).toEqual(lengthChart(report)!.points.map((point) => point.words));
    const places = await points.evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect()).map(({ x, y }) => ({ x, y })));
    expect(places.map(({ x }) => x)).toEqual([...places.map(({ x }) => x)].sort((a, b) => a - b));
    // The graver the lower, equal verdicts on one line.
    expect(places[0]!.y).toBe(places[1]!.y);
    expect(places[1]!.y).toBeLessThan(places[2]!.y);
    expect(places[2]!.y).toBeLessThan(places[3]!.y);
    expect(await view.page.locator('.lengths .first-bad text').textContent()).toBe('first bad: 8');
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('lead to their run, by pointer and by key', async () => {
    const view = await opened(report);
    await view.page.locator('.lengths .point').nth(1).click();
    expect((await lastSelection(view)).run).toBe(1);
    await view.page.locator('.lengths .point').nth(3).focus();
    await view.page.keyboard.press('Enter');
    expect((await lastSelection(view)).run).toBe(3);
    expect(view.errors).toEqual([]);
  });

  it.each(['parity', 'prefill', 'rewind', 'replay'] as const)('of a real report of %s are shown where it has an order', async (kind) => {
    const view = await opened(real(kind), 500);
    const chart = lengthChart(real(kind));
    expect(await view.page.locator('.lengths').isVisible()).toBe(chart !== null);
    expect(await view.page.locator('.lengths .point').count()).toBe(chart?.points.length ?? 0);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});

describe('a switch matrix', () => {
  const report = real('switches');

  it('shows the outcome of every combination, which switches are live, and one verdict in words', async () => {
    if (report.kind !== 'switches') throw new Error('there is no report of a switch matrix');
    const view = await opened(report);
    const { combinations, controls } = report.switches;
    const outcomes = await view.page.locator('.switch-matrix tbody td .verdict').allInnerTexts();
    expect(outcomes).toHaveLength(combinations.length);
    expect([...outcomes].sort()).toEqual(combinations.map(({ verdict }) => verdict.word).sort());
    expect(await view.page.locator('.controls li').count()).toBe(controls.length);
    for (const [i, { live }] of controls.entries()) expect(await view.page.locator('.controls li').nth(i).innerText()).toContain(live === 'void' ? 'void: it changes nothing here' : 'live: ');
    const last = view.page.locator('.switch-matrix tbody button').last();
    await last.focus();
    await view.page.keyboard.press('Enter');
    expect(await view.page.locator('.switch-matrix [role=status]').innerText()).toContain(combinations.at(-1)!.verdict.sentence);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('marks the first that differs', async () => {
    if (report.kind !== 'switches') throw new Error('there is no report of a switch matrix');
    const combinations = report.switches.combinations.map((one, i) => ({ ...one, verdict: { word: i >= 2 ? ('drift' as const) : ('equal' as const), sentence: `Number ${i}.` } }));
    const view = await opened({ ...report, switches: { ...report.switches, combinations } });
    expect(await view.page.locator('.switch-matrix td.first-bad').allInnerTexts()).toEqual([expect.stringMatching(/drift[^]*first bad/)]);
    expect(await view.page.locator('.switch-matrix [role=status]').innerText()).toMatch(/^First bad: .*: Number 2\.$/);
  });
});
