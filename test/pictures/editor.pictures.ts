// The pictures of README and walkthrough that show the editor: the sample beside the overview, its accept log, a served run.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { launchWorkbench, type Launched } from '../ui/harness';
import { reportCount } from '../ui/reports';

const media = path.join(import.meta.dirname, '../../media');
const waiting = { timeout: 60_000 };

/** What the run goes on from stands in the file beside it. */
const begun = 'export async function load(';
const code = `// How many drafts of a round are kept: those before the first that the target itself does not choose.
export function kept(drafts: readonly number[], choices: readonly number[]): number {
  const at = drafts.findIndex((draft, i) => draft !== choices[i]);
  return at === -1 ? drafts.length : at;
}
`;

async function picture({ workbench: { page } }: Launched, name: string): Promise<void> {
  // Into the middle of the title bar, which has nothing to say; what hovers elsewhere goes after a while.
  await page.mouse.move(900, 14);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: path.join(media, name) });
}

/** Leaves the room of the side bar to the other view. */
const fold = ({ workbench: { page } }: Launched, view: string): Promise<void> => page.locator('.pane-header', { hasText: view }).click();

/** Toasts would lie over what is to be seen. */
async function tidy({ workbench }: Launched): Promise<void> {
  await workbench.command('Notifications: Clear All Notifications');
}

async function servedRun(vscode: Launched): Promise<void> {
  const { workbench } = vscode;
  const frame = (): Promise<Frame> => workbench.webview('main.panel');
  writeFileSync(path.join(vscode.workspace, 'accept.ts'), code);
  await workbench.openFile('accept.ts');
  await workbench.command('Moire: Focus on Completions View');
  await fold(vscode, 'Overview');
  const panel = await frame();
  const drafters = panel.locator('select').nth(1);
  await expect.poll(() => drafters.locator('option').count(), waiting).toBeGreaterThan(1);
  const options = await drafters.locator('option').evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  await drafters.selectOption(options.find((value) => value.endsWith('/drafter')) ?? '');
  await panel.locator('vscode-button', { hasText: /^Start/ }).first().click();
  await expect.poll(() => panel.locator('.server').innerText(), waiting).toMatch(/Speculation\s+on/);
  await panel.locator('textarea').first().fill(begun);
  await panel.locator('vscode-button', { hasText: /^Run/ }).first().click();
  await expect.poll(() => panel.locator('.state-line').last().innerText(), waiting).toMatch(/done/);
}

describe.each(['dark', 'light'] as const)('in the %s theme', (theme) => {
  it('the sample and its log', async () => {
    const vscode = await launchWorkbench({ theme, viewport: { width: 1100, height: 720 } });
    const { workbench, workspace } = vscode;
    try {
      await workbench.command('Moire: Focus on Overview View');
      await workbench.command('Moire: Open Sample');
      await reportCount(workspace, 1);
      await workbench.webview('.map-cells');
      await fold(vscode, 'Completions');
      const entry = (name: string): Locator => workbench.page.locator('.monaco-list[aria-label="Overview"] .monaco-list-row', { hasText: name }).first();
      // While the list is filled anew, a click may fall on another row.
      const log = entry('rounds.moire-capture.jsonl');
      for (let tries = 0; tries < 5 && !(await log.isVisible()); tries += 1) {
        await entry('Captures').click();
        await log.waitFor({ timeout: 5000 }).catch(() => undefined);
      }
      await tidy(vscode);
      await picture(vscode, `walkthrough/sample-${theme}.png`);
      await log.click();
      await workbench.webview('.accept-log .figures');
      await tidy(vscode);
      await picture(vscode, `walkthrough/log-${theme}.png`);
    } finally {
      await vscode.close();
    }
  });

  it('a served run', async () => {
    const vscode = await launchWorkbench({ theme, viewport: { width: 1400, height: 1000 } });
    try {
      await servedRun(vscode);
      await tidy(vscode);
      await picture(vscode, `panel-${theme}.png`);
    } finally {
      await vscode.close();
    }
  });
});
