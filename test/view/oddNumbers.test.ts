// Numbers at the edge of what a number can be, and more of them than a call takes arguments: drawings stay drawings.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReportOf } from '../../src/shared/report';
import { ViewHarness } from './harness';
import { realReport, shownInTime } from './hostileReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const sweepOf = (change: (arm: { againstClassic: number[]; tokensPerSecond: number[] }) => void): ReportOf<'widths'> => realReport('widths', ({ run }) => run.sweep?.arms.forEach(change));

describe('the chart of a width sweep', () => {
  it.each([
    ['far above and far below', [1e308, -1e308]],
    ['the largest and the smallest', [Number.MAX_VALUE, 5e-324]],
    ['none', []],
  ])('draws repeats that are %s, without a coordinate that is no number', async (_, against) => {
    const view = await shownInTime(harness, sweepOf((arm) => Object.assign(arm, { againstClassic: against, tokensPerSecond: against })));
    expect(await view.page.locator('.sweep svg').first().innerHTML()).not.toMatch(/NaN|Infinity/);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('draws a hundred thousand repeats an arm as those that lie apart', async () => {
    const view = await shownInTime(harness, sweepOf((arm) => Object.assign(arm, { againstClassic: Array.from({ length: 100_000 }, (_, i) => 1 + (i % 1000) / 1000) })));
    expect(await view.page.locator('main.report').count()).toBe(1);
    const dots = await view.page.locator('.sweep .repeat').count();
    expect(dots).toBeGreaterThan(50);
    expect(dots).toBeLessThan(5000);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});
