// The tree view "Moire" in the real workbench: the welcome of an empty folder, the four groups, by keyboard and as read aloud, and what its entries do.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchWorkbench, type Launched } from './harness';
import { reportCount } from './reports';

const waiting = { timeout: 60_000 };
const fixtures = path.join(import.meta.dirname, '../fixtures/reports');

async function showOverview({ workbench }: Launched): Promise<Locator> {
  await workbench.command('Moire: Focus on Overview View');
  return workbench.page.locator('.pane-body .monaco-list[aria-label="Overview"]');
}

/** Of package.json. */
const texts = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.nls.json'), 'utf8')) as Readonly<Record<string, string>>;

const row = (tree: Locator, text: string | RegExp): Locator => tree.locator('.monaco-list-row', { hasText: text }).first();

describe('the overview of a folder without models', () => {
  let vscode: Launched;
  beforeAll(async () => {
    vscode = await launchWorkbench({ workspace: 'media/walkthrough' });
  });
  afterAll(() => vscode.close());

  it('welcomes with the first action, which bisects the sample and lists its report', async () => {
    const { workbench, workspace } = vscode;
    const tree = await showOverview(vscode);
    const button = workbench.page.locator('.welcome-view-content .monaco-button', { hasText: 'Bisect the Sample Model' });
    await button.waitFor(waiting);
    await workbench.shot('overview-welcome');
    await button.click();
    await reportCount(workspace, 1);
    // While it runs, what was compared until then is listed as not complete.
    await expect.poll(() => row(tree, /^Bisect/).getAttribute('aria-label'), waiting).toMatch(/^(?:drift|tie|defect), Bisect, target-4bit, /);
    await button.waitFor({ state: 'hidden' });
  });
});

describe('the overview of a workspace', () => {
  let vscode: Launched;
  let tree: Locator;
  const at = (name: string): string => path.join(vscode.workspace, '.moire', name);
  beforeAll(async () => {
    vscode = await launchWorkbench({ viewport: { width: 1280, height: 1000 } });
    mkdirSync(path.join(vscode.workspace, '.moire'));
    cpSync(fixtures, path.join(vscode.workspace, '.moire'), { recursive: true });
    writeFileSync(at('partial.moire.json'), readFileSync(at('rewind.moire.json'), 'utf8').replace('"complete": true', '"complete": false'));
    writeFileSync(at('cut.moire.json'), readFileSync(at('widths.moire.json'), 'utf8').slice(0, 6000));
    tree = await showOverview(vscode);
    // Rows out of sight are not in the page.
    await vscode.workbench.page.locator('.pane-header', { hasText: 'Completions' }).click();
    await row(tree, /^Parity/).waitFor(waiting);
  });
  afterAll(() => vscode.close());

  const label = (text: string | RegExp): Promise<string | null> => row(tree, text).getAttribute('aria-label');

  it('tells models, drafters and reports in words as well as in shapes', async () => {
    expect(await label(/^target-4bit/)).toBe('model, target-4bit, qwen3_5, 4 bit, 3.86 MB');
    expect(await label(/^drafter/)).toBe('drafter, drafter, qwen3, bfloat16, 2.00 MB');
    expect(await label(/^Parity/)).toMatch(/^tie, Parity, target-4bit, widths? [\d, ]+, (?:[\w.]+=\w+, )*\d+ (?:min|hour|day|week|month)/);
    expect(await label('not complete')).toMatch(/, Rewind audit, not complete, target-4bit, /);
    expect(await label('cut off')).toBe('cut, cut off');
    expect(await tree.locator('.monaco-list-row .codicon-circle-slash').count()).toBeGreaterThan(0);
  });

  it('opens a report by keyboard alone', async () => {
    const { page } = vscode.workbench;
    await tree.press('Home');
    const focused = tree.locator('.monaco-list-row.focused');
    for (let steps = 0; steps < 40 && !((await focused.getAttribute('aria-label')) ?? '').includes('Parity'); steps += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await vscode.workbench.tab('parity.moire.json').waitFor(waiting);
    await vscode.workbench.webview('.verdict-tie');
    await vscode.workbench.shot('overview-dark');
  });

  it('hears of a report that comes and of one that goes', async () => {
    cpSync(path.join(fixtures, 'gate.moire.json'), at('another.moire.json'));
    const declined = tree.locator('.monaco-list-row', { hasText: /^Exactness gate/ });
    await expect.poll(() => declined.count(), waiting).toBe(2);
  });

  it('deletes a report only after a question', async () => {
    const { page } = vscode.workbench;
    const dialog = page.locator('.monaco-dialog-box');
    const ask = async (): Promise<void> => {
      // A hover of another row may lie over this one.
      await page.mouse.move(900, 20);
      await page.locator('.monaco-hover').first().waitFor({ state: 'hidden' });
      await row(tree, 'cut off').click({ button: 'right' });
      const entry = page.getByRole('menuitem', { name: 'Delete' });
      await entry.waitFor(waiting);
      await vscode.workbench.shot('overview-menu');
      await entry.click();
      await dialog.waitFor(waiting);
    };
    await ask();
    await vscode.workbench.shot('overview-delete');
    await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
    expect(existsSync(at('cut.moire.json'))).toBe(true);
    await ask();
    await dialog.locator('.monaco-button', { hasText: 'Move to Trash' }).click();
    // A server has no trash: it is asked again.
    await dialog.locator('.monaco-button', { hasText: 'Delete for Good' }).click(waiting);
    await expect.poll(() => existsSync(at('cut.moire.json')), waiting).toBe(false);
    await row(tree, 'cut off').waitFor({ state: 'detached', ...waiting });
  });

  it('starts the bisect of the model that is clicked', async () => {
    const { workbench } = vscode;
    await row(tree, /^target-4bit/).click();
    await workbench.page.locator('.quick-input-title', { hasText: '1/' }).waitFor(waiting);
    const active = workbench.page.locator('.quick-input-list .monaco-list-row.focused');
    await expect.poll(() => active.getAttribute('aria-label'), waiting).toContain(vscode.workspace);
    await workbench.page.keyboard.press('Escape');
  });

  it('can be read in light and in high contrast', async () => {
    const { workbench } = vscode;
    for (const [name, theme] of [['light', 'Light Modern'], ['hc', 'Dark High Contrast'], ['hcLight', 'Light High Contrast']] as const) {
      await workbench.command('Preferences: Color Theme', { asks: true });
      await workbench.answer(theme);
      await workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
      await workbench.page.waitForTimeout(500);
      await workbench.shot(`overview-${name}`);
    }
    expect(workbench.violations).toEqual([]);
  });
});

describe('the walkthrough', () => {
  let vscode: Launched;
  beforeAll(async () => {
    vscode = await launchWorkbench({ viewport: { width: 1600, height: 900 }, settings: { 'workbench.startupEditor': 'none' } });
  });
  afterAll(() => vscode.close());

  it('has five steps with a picture or a text each, and notes what was done', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.command('Welcome: Open Walkthrough', { asks: true });
    await workbench.answer('Find where two runs of one model part');
    const steps = page.locator('.getting-started-step');
    await expect.poll(() => steps.count(), waiting).toBe(5);
    for (const [index, name] of ['sample', 'bisect', 'map', 'log', 'serve'].entries()) {
      await steps.nth(index).click();
      if (name === 'bisect') await workbench.webview('h3:has-text("What a bisect asks")');
      else {
        const picture = page.locator('.getting-started-media img').first();
        await expect.poll(() => picture.getAttribute('alt'), waiting).toBe(texts[`walkthrough.${name}.picture`]);
        // One of those that the manifest names by theme, and it is there.
        await expect.poll(async () => (await picture.getAttribute('srcset')) ?? '', waiting).toMatch(/-dark\.png/);
        await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), waiting).toBeGreaterThan(500);
      }
      await workbench.shot(`walkthrough-${name}`);
    }
    await steps.nth(3).click();
    await page.locator('.getting-started-step .monaco-button', { hasText: 'Inspect the Sample Log' }).click();
    await workbench.webview('main', 60_000);
    await workbench.tab('rounds.moire-capture.jsonl').waitFor(waiting);
    await workbench.tab('Welcome').click();
    await expect.poll(() => steps.nth(3).locator('.codicon.complete').count(), waiting).toBe(1);
    expect(await steps.nth(4).locator('.codicon.complete').count()).toBe(0);
  });
});
