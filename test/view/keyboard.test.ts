import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tapList } from '../../src/webview/model/tapList';
import { ViewHarness, type ViewPage } from './harness';
import { lastSelection, settled } from './page';
import { sampleReport } from './reports';

const report = sampleReport();
const run = report.bisect.runs[3]!;
let harness: ViewHarness;
let view: ViewPage;

beforeAll(async () => {
  harness = await ViewHarness.start();
  view = await harness.open();
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('.map-grid').waitFor();
});
afterAll(() => harness.stop());

const press = (key: string): Promise<void> => view.page.keyboard.press(key);
const focused = (): Promise<string> => view.page.evaluate(() => document.activeElement?.closest('.lane-row')?.querySelector('.tap')?.textContent ?? '');

describe('by keyboard alone', () => {
  it('reaches the map by Tab', async () => {
    for (let i = 0; i < 30; i++) {
      await press('Tab');
      if (await view.page.evaluate(() => document.activeElement?.getAttribute('role') === 'grid')) return;
    }
    throw new Error('The map was not reached.');
  });

  it('moves over the map and speaks the cell', async () => {
    await press('ArrowDown');
    await press('ArrowRight');
    const { row, position } = run.first!;
    expect(await lastSelection(view)).toMatchObject({ row: row + 1, position: position + 1 });
    const spoken = await view.page.locator('[aria-live=polite].reader-only').innerText();
    expect(spoken).toMatch(/^layer 1, position 1: .*bytes differ/);
    expect(await view.page.locator('#map-current').innerText()).toBe(spoken);
    expect(await view.page.locator('.map-grid').getAttribute('aria-activedescendant')).toBe('map-current');
  });

  it('goes to the next and previous differing cell and to the first', async () => {
    await press('End');
    const end = await lastSelection(view);
    await press('n');
    const next = await lastSelection(view);
    expect(next.row * 16 + next.position).toBeGreaterThan(end.row * 16 + end.position);
    expect(run.cells.differingBytes[next.row * 16 + next.position]).toBeGreaterThan(0);
    await press('p');
    expect(await lastSelection(view)).toMatchObject({ row: end.row, position: end.position });
    await press('f');
    expect(await lastSelection(view)).toMatchObject({ row: run.first!.row, position: run.first!.position });
  });

  it('enters the taps, walks over those that differ, shows their elements, and comes back', async () => {
    await press('Enter');
    expect(await focused()).toBe(run.first!.tap);
    const differing = tapList(run, run.first!.row, run.first!.position).filter((tap) => tap.differing >= 0);
    await press('n');
    expect(await focused()).toBe(differing[1]!.tap);
    expect(await lastSelection(view)).toMatchObject({ tap: differing[1]!.differing });
    expect(await view.page.locator('.tile-panel .panel-header h2').innerText()).toContain(differing[1]!.tap);
    await press('Escape');
    expect(await view.page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
  });

  it('chooses a run', async () => {
    await view.page.locator('.runs tbody button').nth(2).focus();
    await press('Enter');
    await settled(view.page);
    expect(await lastSelection(view)).toMatchObject({ run: 2 });
    expect(await view.page.locator('.runs button[aria-pressed=true]').innerText()).toBe('8');
  });

  it('shows where the focus is', async () => {
    await view.page.locator('.map-grid').focus();
    await press('ArrowLeft');
    const outline = await view.page.locator('.map-grid').evaluate((node) => getComputedStyle(node).outlineStyle);
    expect(outline).toBe('solid');
  });
});
