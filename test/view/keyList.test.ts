// The list of keys: of the parts that the page has, and of no others.
import path from 'node:path';
import axe from 'axe-core';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/shared/report';
import { ViewHarness, type ViewPage } from './harness';
import { openLog, startLogHarness } from './logPage';
import { sampleReport } from './reports';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

async function opened(report: Report | undefined): Promise<ViewPage> {
  if (report === undefined) throw new Error('no such report');
  const view = await harness.open();
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('.map-grid').first().waitFor();
  return view;
}

const list = ({ page }: ViewPage): Locator => page.getByRole('dialog', { name: 'Keys' });
const groups = (view: ViewPage): Promise<string[]> => list(view).locator('caption').allInnerTexts();

describe('the list of keys', () => {
  it('opens by ?, names the parts of a bisect, closes by Escape, and the focus is where it was', async () => {
    const view = await opened(sampleReport());
    const { page } = view;
    await page.locator('.map-grid').focus();
    await page.keyboard.press('?');
    expect(await groups(view)).toEqual(['Map and timeline', 'Lane of taps', 'Elements of a tap', 'Runs', 'Long tables', 'Page']);
    // Every key of the map that the map itself tells of is in the list.
    const told = (await page.locator('.map-grid').getAttribute('aria-keyshortcuts')) ?? '';
    const listed = await list(view).locator('table').first().locator('kbd').allInnerTexts();
    const named = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' };
    for (const key of told.split(' ')) expect(listed).toContain(key in named ? named[key as keyof typeof named] : key);
    await page.evaluate(axe.source);
    const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run('.key-list'));
    expect(found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await list(view).count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('map-grid');
  });

  it('opens by its button, and closes by its own and by a press beside it', async () => {
    const view = await opened(speculationReports().find(({ kind }) => kind === 'replay'));
    const { page } = view;
    const button = page.getByRole('button', { name: 'Keys', exact: true });
    await button.click();
    expect(await groups(view)).toContain('Text');
    expect(await groups(view)).not.toContain('Runs');
    await list(view).getByRole('button', { name: 'Close' }).click();
    expect(await list(view).count()).toBe(0);
    await button.click();
    await page.mouse.click(4, 4);
    expect(await list(view).count()).toBe(0);
  });

  it('of a log names copying, but no way back that the page does not have', async () => {
    const logs = await startLogHarness();
    try {
      const { page } = await openLog(logs, path.join(import.meta.dirname, '../../samples/served/rounds.moire-capture.jsonl'), { width: 1000 });
      await page.locator('.log-timeline .map-grid').waitFor();
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keys' });
      expect(await dialog.locator('caption').allInnerTexts()).toEqual(['Map and timeline', 'Long tables', 'Page']);
      expect(await dialog.locator('table').last().locator('kbd').allInnerTexts()).toEqual(['Ctrl+C']);
    } finally {
      await logs.stop();
    }
  });

  it('leaves ? to who writes', async () => {
    const view = await opened(sampleReport());
    await view.page.getByRole('textbox', { name: 'Element' }).first().focus();
    await view.page.keyboard.press('?');
    expect(await list(view).count()).toBe(0);
  });
});
