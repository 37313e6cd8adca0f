// An accept log as a user meets it: found in the explorer, looked at, replayed, read again when it grows, and too large for a text editor.
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchWorkbench, type Launched } from './harness';

/** Machines are busy. */
const waiting = { timeout: 30_000 };

/** Rounds `from` (inside) to `to` (outside) of a request that accepts no draft: every identity of them holds. */
function rounds(from: number, to: number): string {
  const line = (round: number): string =>
    `2026-09-24T08:15:02.118207Z DEBUG mlxcel_core::drafter::dflash::round_loop: DFlash round transcript round=${round} bs=4 bonus=${round === 0 ? 517 : 999 + round} draft_tokens=[1, 402, 19] target_tokens=[${1000 + round}, 77, 640, 12] accepted=0 new_tokens=[${1000 + round}]\n`;
  return Array.from({ length: to - from }, (_, i) => line(from + i)).join('');
}

describe('an accept log', () => {
  let vscode: Launched;
  beforeAll(async () => {
    vscode = await launchWorkbench({ theme: 'dark', workspace: 'samples/served', viewport: { width: 1400, height: 1000 } });
  });
  afterAll(() => vscode.close());

  it('opens from the context menu of the explorer, and Replay leads to the wizard with log and request filled in', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.command('View: Show Explorer');
    // A menu that opens before the workbench has read what extensions contribute lacks it, so it is opened again.
    const item = page.locator('.context-view .action-label', { hasText: 'Inspect Accept Log' });
    await expect
      .poll(async () => {
        await page.keyboard.press('Escape');
        await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'rounds.moire-capture.jsonl' }).click({ button: 'right' });
        return item.waitFor({ timeout: 2000 }).then(() => true, () => false);
      }, { timeout: 60_000 })
      .toBe(true);
    await workbench.clickAway(item);
    const frame = await workbench.webview('.accept-log .figures');
    expect(await frame.locator('.figures dd').first().innerText()).toBe('36');
    await workbench.shot('accept-log');
    await frame.locator('vscode-button', { hasText: 'Replay…' }).click();
    // The model, then the width: neither where the sequence comes from nor which request is asked.
    await page.locator('.quick-input-title', { hasText: '1/' }).waitFor();
    await workbench.pick('target-4bit');
    await page.locator('.quick-input-title', { hasText: '2/' }).waitFor();
    expect(await page.locator('.quick-input-widget').innerText()).toContain('Rows of a block, where the log does not say');
    await workbench.shot('accept-log-replay');
    await page.keyboard.press('Escape');
    expect(workbench.violations).toEqual([]);
  });

  /** The page of a log that is written for it. */
  async function opened(name: string, text: string): Promise<{ file: string; frame: Frame }> {
    const { workbench, workspace } = vscode;
    const file = path.join(workspace, name);
    writeFileSync(file, text);
    await workbench.command('View: Show Explorer');
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
    const item = workbench.page.locator('.context-view .action-label', { hasText: 'Inspect Accept Log' });
    await expect.poll(async () => {
      await row.click({ button: 'right' });
      return item.waitFor({ timeout: 2000 }).then(() => true, () => false);
    }, { timeout: 60_000 }).toBe(true); // prettier-ignore
    await workbench.clickAway(item);
    return { file, frame: await workbench.webview(`.accept-log h1:has-text("${name}")`) };
  }

  it('is read again by itself when it grows, and keeps what is looked at in its place', async () => {
    const { file, frame } = await opened('growing.log', rounds(0, 60) + rounds(0, 60));
    const requests = frame.locator('.long-requests-a');
    const count = (): Promise<string | null> => requests.getAttribute('aria-rowcount');
    await expect.poll(count, waiting).toBe('3');
    await requests.locator('tr[data-index="1"]').click();
    await frame.locator('.request h2', { hasText: 'Request 1' }).waitFor(waiting);
    const table = frame.locator('.long-table-rounds');
    await table.evaluate((node) => (node.scrollTop = 600));
    await frame.evaluate(() => document.body.setAttribute('data-same', 'page'));
    appendFileSync(file, rounds(60, 80) + rounds(0, 3));
    await expect.poll(count, waiting).toBe('4');
    await expect.poll(() => frame.locator('.figures dd').first().innerText(), waiting).toBe('80');
    expect(await frame.locator('.request h2').first().innerText()).toContain('Request 1');
    expect(await table.evaluate((node) => node.scrollTop)).toBe(600);
    expect(await frame.locator('body').getAttribute('data-same')).toBe('page');
    expect(await frame.locator('.log-notices').innerText()).not.toContain('has changed');
  });

  it('of more than an editor takes leads to an excerpt, says that it has changed, and is read again on request', async () => {
    const noise = '2026-09-24T08:15:02.118207Z  INFO mlxcel::server::http: request served method=POST path=/v1/completions status=200\n'.repeat(500_000);
    const { file, frame } = await opened('large.log', rounds(0, 2) + noise + rounds(0, 2));
    const { workbench } = vscode;
    const count = (): Promise<string | null> => frame.locator('.long-requests-a').getAttribute('aria-rowcount');
    await expect.poll(() => frame.locator('.reading').isVisible(), { timeout: 90_000 }).toBe(false);
    expect(await count()).toBe('3');
    await frame.locator('.long-requests-a tr[data-index="1"]').click();
    await frame.locator('vscode-button', { hasText: 'Go to line 500,003' }).click();
    await workbench.tab('large.log lines').waitFor(waiting);
    const text = workbench.page.locator('.editor-instance .view-lines');
    const shown = async (): Promise<string> => (await text.first().innerText()).replaceAll('\u00a0', ' ');
    await expect.poll(shown, waiting).toContain('DFlash round transcript round=0');
    await workbench.page.keyboard.press('Control+Home');
    await expect.poll(shown, waiting).toMatch(/large\.log has .*, more than an editor of VS Code takes\..* line 500,003 is selected/);
    await workbench.shot('accept-log-excerpt');

    appendFileSync(file, rounds(0, 1));
    const notice = frame.locator('.notice', { hasText: 'The file has changed' });
    await notice.waitFor(waiting);
    expect(await count()).toBe('3');
    await workbench.shot('accept-log-changed');
    await notice.locator('vscode-button', { hasText: 'Read again' }).click();
    await expect.poll(count, { timeout: 90_000 }).toBe('4');
    await expect.poll(() => notice.count(), waiting).toBe(0);
    expect(workbench.violations).toEqual([]);
  }, 240_000);
});
