// Two reports against each other, and looking back, in a real VS Code: from the header of one to a panel that outlives the window.
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchWorkbench, type Launched } from './harness';

const fixtures = path.join(import.meta.dirname, '../fixtures/compare');

describe('a report and the one after a fix', () => {
  let vscode: Launched;
  let report: Frame;
  beforeAll(async () => {
    vscode = await launchWorkbench({ viewport: { width: 1500, height: 950 } });
    mkdirSync(path.join(vscode.workspace, '.moire'), { recursive: true });
    for (const name of ['before', 'after']) copyFileSync(path.join(fixtures, `${name}.moire.json`), path.join(vscode.workspace, '.moire', `${name}.moire.json`));
    await vscode.workbench.command('Moire: Open Report', { asks: true });
    await vscode.workbench.answer('before');
    report = await vscode.workbench.webview('.map-grid');
  });
  afterAll(() => vscode.close());

  it('goes back by Alt+Left to where one looked, and the editor stays where it is', async () => {
    const { page } = vscode.workbench;
    const place = (): Promise<string> => report.locator('.crumbs').innerText();
    await report.locator('.map-grid').focus();
    const start = await place();
    await page.keyboard.press('ArrowDown');
    await expect.poll(place, { timeout: 10_000 }).not.toBe(start);
    await page.keyboard.press('Alt+ArrowLeft');
    await expect.poll(place, { timeout: 10_000 }).toBe(start);
    expect(await vscode.workbench.tab('before.moire.json').isVisible()).toBe(true);
    expect(await report.locator('.map-grid').evaluate((node) => node === document.activeElement)).toBe(true);
  });

  it('says what came of copying a picture', async () => {
    await report.locator('vscode-button', { hasText: 'Copy ▾' }).click();
    await report.getByRole('menuitem', { name: 'Picture' }).click();
    await expect.poll(() => report.locator('.said').innerText(), { timeout: 20_000 }).toMatch(/^Copied the picture\.$|^The picture was not copied: .+/);
  });

  it('are compared from the header of the first', async () => {
    await report.locator('vscode-button', { hasText: 'Compare with' }).click();
    await vscode.workbench.answer('after');
    const panel = await vscode.workbench.webview('.map-of-delta');
    expect(await panel.locator('h1').innerText()).toBe('The verdict went from drift to equal; 72 cells fixed, 0 new, 0 changed.');
    await panel.locator('.map-of-b .map-grid').focus();
    await vscode.workbench.page.keyboard.press('ArrowDown');
    await expect.poll(() => panel.locator('.map-of-a .cell-words').innerText(), { timeout: 10_000 }).toMatch(/^layer 1, position 0/);
    await vscode.workbench.shot('compare');
  });

  it('come again, at the same cell, when the window is loaded anew', async () => {
    const { page } = vscode.workbench;
    // Not by the browser: the workbench writes what pages keep when it ends itself.
    const loaded = page.waitForEvent('domcontentloaded');
    await vscode.workbench.command('Developer: Reload Window', { asks: true });
    await loaded;
    const panel = await vscode.workbench.webview('.map-of-delta', 60_000);
    expect(await panel.locator('h1').innerText()).toMatch(/72 cells fixed/);
    expect(await panel.locator('.map-of-a .cell-words').innerText()).toMatch(/^layer 1, position 0/);
  });

  it('break no content security policy', () => {
    expect(vscode.workbench.violations).toEqual([]);
  });
});
