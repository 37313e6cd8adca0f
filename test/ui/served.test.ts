// A served run as a user meets it: the side bar's panel streams a completion into a file, ghost text is taken with Tab, the status bar tells and switches.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchWorkbench, type Launched } from './harness';

/** Machines are busy. */
const waiting = { timeout: 30_000 };
const code = `${Array.from({ length: 12 }, (_, i) => `const value${i} = compute(${i});`).join('\n')}\n`;

describe('a served run in the editor', () => {
  let vscode: Launched;
  beforeAll(async () => {
    vscode = await launchWorkbench({ theme: 'dark', viewport: { width: 1400, height: 1000 }, settings: { 'moire.inline.longestMs': 20_000 } });
    for (const name of ['work.ts', 'ghost.ts']) writeFileSync(path.join(vscode.workspace, name), code);
  });
  afterAll(() => vscode.close());

  const panel = (): Promise<Frame> => vscode.workbench.webview('main.panel');
  const button = async (name: string | RegExp): Promise<void> => (await panel()).locator('vscode-button', { hasText: name }).first().click();
  const statusBar = (): Promise<string> => vscode.workbench.page.locator('.statusbar-item', { hasText: 'target-4bit' }).first().innerText();
  const saved = async (name: string): Promise<string> => {
    await vscode.workbench.page.keyboard.press('Control+S');
    return readFileSync(path.join(vscode.workspace, name), 'utf8');
  };

  const titleButton = (name: string): Promise<boolean> => vscode.workbench.page.getByRole('button', { name }).first().isVisible();

  it('offers a start where ghost text is switched on and nothing is served', async () => {
    const { workbench } = vscode;
    await workbench.openFile('work.ts');
    await workbench.command('Moire: Switch Ghost Text for This Language');
    const toast = await workbench.toast(/Ghost text is on for typescript.*none is served/);
    await toast.locator('.monaco-button', { hasText: 'Attach to Server' }).waitFor();
    await workbench.page.locator('.statusbar-item .codicon-sparkle').waitFor();
    await toast.locator('.monaco-button', { hasText: 'Start Served Run' }).click();
    await workbench.page.locator('.quick-input-title', { hasText: 'Start Served Run (1/' }).waitFor(waiting);
    await workbench.page.keyboard.press('Escape');
    await workbench.command('Moire: Switch Ghost Text for This Language');
    await workbench.page.locator('.statusbar-item .codicon-sparkle').waitFor({ state: 'hidden' });
  });

  it('shows what to do where nothing is served, and starts the sample from its pickers', async () => {
    const { workbench } = vscode;
    await workbench.openFile('work.ts');
    await workbench.command('View: Show Moire');
    const frame = await panel();
    await expect.poll(() => frame.locator('.server').innerText(), waiting).toContain('No model is served');
    await workbench.shot('panel-empty');
    expect([await titleButton('Start Served Run'), await titleButton('Stop Served Run')]).toEqual([true, false]);
    const drafters = frame.locator('select').nth(1);
    const options = await drafters.locator('option').evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
    await drafters.selectOption(options.find((value) => value.endsWith('/drafter'))!);
    await button(/^Start/);
    await expect.poll(() => frame.locator('.server').innerText(), { timeout: 60_000 }).toContain('127.0.0.1');
    await expect.poll(statusBar, waiting).toContain('target-4bit');
    await expect.poll(() => frame.locator('.server').innerText(), waiting).toMatch(/Speculation\s+on/);
    expect([await titleButton('Start Served Run'), await titleButton('Stop Served Run')]).toEqual([false, true]);
    await frame.locator('summary', { hasText: 'Speculation' }).first().click();
    await button('Ask the gate…');
    const { page } = workbench;
    await page.locator('.quick-input-title', { hasText: 'Exactness gate (1/' }).waitFor(waiting);
    await workbench.pick('target-4bit');
    // The width that is served, not that of the settings.
    await page.locator('.quick-input-title', { hasText: 'Exactness gate (2/' }).waitFor(waiting);
    expect(await workbench.input().inputValue()).toBe('8');
    await page.keyboard.press('Escape');
  });

  it('streams a completion, whose tokens tell their origin, into the file', async () => {
    const { workbench } = vscode;
    const frame = await panel();
    await frame.locator('vscode-text-area textarea, textarea').first().fill('export function selectByKey(');
    await button(/^Run/);
    await expect.poll(() => frame.locator('.state-line').last().innerText(), { timeout: 60_000 }).toMatch(/done|ended|length|256/i);
    const text = await frame.locator('.text').innerText();
    expect(text.length).toBeGreaterThan(100);
    expect(await frame.locator('.text .token').count()).toBeGreaterThan(20);
    for (const origin of ['draft', 'bonus']) expect(await frame.locator(`.text .token.${origin}`).count()).toBeGreaterThan(0);
    await workbench.shot('panel-run');
    await button(/^Insert/);
    await expect.poll(async () => (await saved('work.ts')).length, waiting).toBeGreaterThan(code.length + 100);
    expect((await saved('work.ts')).replaceAll('\r', '')).toContain(text.trim().slice(0, 40));
  });

  it('offers ghost text once it is switched on in the status bar, and Tab takes it', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.openFile('ghost.ts');
    await page.locator('.statusbar-item', { hasText: 'target-4bit' }).first().click();
    await workbench.pick('Switch ghost text on for typescript');
    await page.locator('.statusbar-item .codicon-sparkle').waitFor();
    await page.locator('.monaco-editor .view-lines').first().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nfunction ');
    await page.locator('.ghost-text-decoration, .ghost-text').first().waitFor({ timeout: 60_000 });
    await workbench.shot('ghost-text');
    const before = await saved('ghost.ts');
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await saved('ghost.ts')).length, waiting).toBeGreaterThan(before.length);
    expect((await saved('ghost.ts')).startsWith(before)).toBe(true);
  });

  it('keeps the kernels that were chosen in the palette when it is started again', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    const step = (at: number): Promise<void> => page.locator('.quick-input-title', { hasText: `Start Served Run (${at}/` }).waitFor(waiting);
    const declined = async (): Promise<void> => expect.poll(async () => (await panel()).locator('.server').innerText(), { timeout: 60_000 }).toMatch(/Speculation\s+off · why/);
    await page.locator('.statusbar-item', { hasText: 'target-4bit' }).first().click();
    await workbench.pick('Start another model');
    await step(1);
    await workbench.pick('target-4bit');
    await step(2);
    await workbench.pick(/^drafter/);
    await step(3);
    expect(await workbench.input().getAttribute('placeholder')).toBe('Kernels and other switches; choose one to change it');
    await workbench.pick(/^matmul/);
    await workbench.pick(/^auto/);
    await step(3);
    await workbench.pick(/^\s*Start/);
    await declined();
    const address = async (): Promise<string> => (await panel()).locator('.server code').first().innerText({ timeout: 1000 }).catch(() => '');
    const before = await address();
    await page.locator('.statusbar-item', { hasText: 'target-4bit' }).first().click();
    await workbench.pick(/Start again(?! and)/);
    await expect.poll(async () => ['', before].includes(await address()), { timeout: 60_000 }).toBe(false);
    await declined();
  });

  it('stops, and breaks no policy on the way', async () => {
    const { workbench } = vscode;
    await workbench.command('Moire: Stop Served Run');
    await expect.poll(async () => (await panel()).locator('.server').innerText(), waiting).toContain('No model is served');
    expect(workbench.violations).toEqual([]);
  });
});
