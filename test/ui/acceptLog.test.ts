// An accept log as a user meets it: found in the explorer, looked at, replayed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchWorkbench, type Launched } from './harness';

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
    await item.click();
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
});
