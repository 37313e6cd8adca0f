// Attaching to a server that runs already, as a user does: address, token, what it can, then completions from it or a probe.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from '../engine/server/support';
import { launchWorkbench, type Launched } from './harness';
import { reportCount, reportOf } from './reports';

const waiting = { timeout: 60_000 };

describe('Moire: Attach to Server', () => {
  let vscode: Launched;
  let serving: Serving;
  beforeAll(async () => {
    [vscode, serving] = await Promise.all([launchWorkbench({ theme: 'light', viewport: { width: 1400, height: 1000 } }), startServing()]);
  });
  afterAll(async () => {
    await serving.stop();
    await vscode.close();
  });

  const step = (at: number): Promise<void> => vscode.workbench.page.locator('.quick-input-title', { hasText: `${at}/` }).waitFor(waiting);

  it('asks for the token where the server wants one, and completes from it in the panel', async () => {
    const { workbench } = vscode;
    await workbench.command('Moire: Attach to Server', { asks: true });
    await step(1);
    await workbench.answer(serving.url);
    await workbench.page.locator('.quick-input-widget input[type=password]').waitFor(waiting);
    await workbench.answer(serving.token);
    const choice = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Complete from it' });
    await choice.waitFor(waiting);
    await workbench.shot('attach-choices');
    await choice.click();
    const panel = await workbench.webview('main.panel', 60_000);
    await expect.poll(() => panel.locator('.server').innerText(), waiting).toContain('attached to');
    await panel.locator('textarea').first().fill('const total = ');
    await panel.locator('vscode-button', { hasText: /^Run/ }).first().click();
    await expect.poll(() => panel.locator('.text .token').count(), waiting).toBeGreaterThan(3);
    await workbench.shot('attach-panel');
  });

  it('tells what it is and can in a text, and its question fits', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.command('Moire: Attach to Server', { asks: true });
    await step(1);
    await workbench.answer(serving.url);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'What it is and can' }).waitFor(waiting);
    expect(await workbench.input().getAttribute('placeholder')).toBe(`target-4bit at ${serving.url}: what to do with it`);
    await workbench.pick('What it is and can');
    const text = page.locator('.editor-instance .view-lines').first();
    await expect.poll(async () => (await text.innerText()).replaceAll('\u00a0', ' '), waiting).toMatch(/What the server is and can[\s\S]*\| completions \| yes \|/);
    expect(await text.innerText()).not.toContain(serving.token);
  });

  it('runs a probe on it without asking for the token again', async () => {
    const { workbench } = vscode;
    await workbench.command('Moire: Attach to Server', { asks: true });
    await step(1);
    await workbench.answer(serving.url);
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'again and again' }).waitFor(waiting);
    await workbench.pick('again and again');
    await workbench.pick('Built-in prompts');
    await workbench.answer('8');
    await reportCount(vscode.workspace, 1);
    const { name, report } = reportOf(vscode.workspace, 'repeat');
    expect(report.verdict.word).toBe('equal');
    expect(readFileSync(path.join(vscode.workspace, '.moire', name), 'utf8')).not.toContain(serving.token);
  });
});
