// Breadcrumbs, and going back and forward through where one has looked.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ViewHarness, type ViewPage } from './harness';
import { lastSelection, settled } from './page';
import { bisectReport, bisectRun, diffReport, sampleReport } from './reports';

let harness: ViewHarness;
let view: ViewPage;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const report = sampleReport();
const { first } = report.bisect.runs[3]!;

beforeEach(async () => {
  view = await harness.open();
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('.map-grid').waitFor();
});

const press = (key: string): Promise<void> => view.page.keyboard.press(key);
const crumbs = (): Promise<string[]> => view.page.getByRole('navigation', { name: 'Where you are' }).getByRole('button').allInnerTexts();
const disabled = (name: string): Promise<boolean> => view.page.locator('vscode-button', { hasText: name }).evaluate((node) => node.hasAttribute('disabled'));

describe('breadcrumbs', () => {
  it('say where one is, down to the tap', async () => {
    expect(await crumbs()).toEqual(['run.moire.json', 'width 16, draw 0', 'layer 0', 'position 0', first!.tap]);
    await view.page.locator('.map-grid').focus();
    await press('ArrowRight');
    await press('ArrowUp');
    // The embedding is equal: there is no tap.
    expect(await crumbs()).toEqual(['run.moire.json', 'width 16, draw 0', 'embedding', 'position 1']);
    expect(await view.page.locator('.crumbs [aria-current]').innerText()).toBe('position 1');
  });

  it('lead there: by keyboard, with the focus where they lead', async () => {
    const focused = (): Promise<string> => view.page.evaluate(() => document.activeElement?.getAttribute('role') ?? document.activeElement?.tagName ?? '');
    await view.page.getByRole('button', { name: 'position 0' }).focus();
    await press('Enter');
    expect(await focused()).toBe('grid');
    await view.page.getByRole('button', { name: first!.tap }).first().focus();
    await press('Enter');
    expect(await view.page.evaluate(() => document.activeElement?.getAttribute('data-tap'))).toBe(String((await lastSelection(view)).tap));
    await view.page.getByRole('button', { name: 'run.moire.json' }).click();
    expect(await focused()).toBe('H1');
    await view.page.locator('.map-grid').focus();
    await press('End');
    await press('ArrowDown');
    await view.page.getByRole('button', { name: 'width 16, draw 0' }).click();
    expect(await lastSelection(view)).toMatchObject({ row: first!.row, position: first!.position });
    expect(view.errors).toEqual([]);
  });

  it('show all of a run, and all positions of a row', async () => {
    const large = bisectReport([bisectRun({ seed: 4, layers: 20, width: 300, first: { layer: 2, tap: 'conv', position: 100 } })]);
    await view.send({ type: 'report', report: large, fileName: 'large.moire.json' });
    await view.page.getByText('Drag over the map').waitFor();
    const words = view.page.locator('.map-tools .muted');
    await view.page.locator('.map-grid').focus();
    for (let i = 0; i < 3; i++) await press('+');
    await expect.poll(() => words.innerText(), { timeout: 10_000 }).toMatch(/of 300/);
    await view.page.getByRole('button', { name: 'layer 2', exact: true }).click();
    await expect.poll(() => words.innerText(), { timeout: 10_000 }).toMatch(/Drag over/);
    // That was one step.
    await press('Alt+ArrowLeft');
    await expect.poll(() => words.innerText(), { timeout: 10_000 }).toMatch(/of 300/);
  });

  it('are those that a report has', async () => {
    await view.send({ type: 'report', report: diffReport(), fileName: 'tensors.moire.json' });
    await expect.poll(crumbs, { timeout: 10_000 }).toEqual(['tensors.moire.json']);
    expect(await view.page.locator('vscode-button', { hasText: 'Back' }).isVisible()).toBe(false);
  });
});

describe('back and forward', () => {
  it('undo and redo every change of where one looks, by key and by button', async () => {
    expect([await disabled('Back'), await disabled('Forward')]).toEqual([true, true]);
    const start = await view.page.evaluate(() => document.querySelector('.crumbs')!.textContent);
    await view.page.locator('.map-grid').focus();
    await press('ArrowDown');
    await press('ArrowRight');
    await view.page.locator('.runs tbody button').nth(2).click();
    await view.page.getByRole('radio', { name: 'Max ULP' }).click();
    const steps = [await lastSelection(view)];
    for (let i = 0; i < 4; i++) {
      await press('Alt+ArrowLeft');
      steps.push(await lastSelection(view));
    }
    expect(steps.map(({ run, row, position, measure }) => [run, row, position, measure])).toEqual([
      [2, report.bisect.runs[2]!.first!.row, report.bisect.runs[2]!.first!.position, 'maxUlp'],
      [2, report.bisect.runs[2]!.first!.row, report.bisect.runs[2]!.first!.position, 'bytes'],
      [3, first!.row + 1, first!.position + 1, 'bytes'],
      [3, first!.row + 1, first!.position, 'bytes'],
      [3, first!.row, first!.position, 'bytes'],
    ]);
    expect(await view.page.evaluate(() => document.querySelector('.crumbs')!.textContent)).toBe(start);
    expect([await disabled('Back'), await disabled('Forward')]).toEqual([true, false]);
    for (let i = 0; i < 4; i++) await view.page.locator('vscode-button', { hasText: 'Forward' }).click();
    expect(await lastSelection(view)).toMatchObject({ run: 2, measure: 'maxUlp' });
    await press('Alt+ArrowLeft');
    expect(await lastSelection(view)).toMatchObject({ measure: 'bytes' });
    expect(view.page.url()).toMatch(/^http/);
  });

  it('leave the keys to whoever writes', async () => {
    const large = bisectReport([bisectRun({ seed: 4, layers: 70, width: 70, first: { layer: 2, tap: 'conv', position: 10 } })]);
    await view.send({ type: 'report', report: large, fileName: 'large.moire.json' });
    const field = view.page.getByRole('textbox', { name: 'Go to' });
    await field.fill('pos 3');
    await press('Enter');
    expect(await lastSelection(view)).toMatchObject({ position: 3 });
    await press('Alt+ArrowLeft');
    await settled(view.page);
    expect(await lastSelection(view)).toMatchObject({ position: 3 });
  });

  it('are not kept when the page is made anew', async () => {
    await view.page.locator('.map-grid').focus();
    await press('ArrowDown');
    await expect.poll(() => view.page.evaluate(() => sessionStorage.getItem('state')), { timeout: 10_000 }).toContain('"row":2');
    expect(await view.page.evaluate(() => sessionStorage.getItem('state'))).not.toContain('history');
    await view.page.reload();
    await view.send({ type: 'report', report, fileName: 'run.moire.json' });
    await view.page.locator('.map-grid').waitFor();
    expect(await crumbs()).toContain('layer 1');
    expect(await disabled('Back')).toBe(true);
  });
});
