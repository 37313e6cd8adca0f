// The report in the three kinds of theme, for eyes: shots/report-<theme>.png. What can be checked without eyes is checked.
// The pictures of the README are the same page 1400 pixels wide, over reports of its own commands; media/report-dark.png is `--width 4,8` with draw 1 of width 8 chosen.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BisectRun } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';
import { launchWorkbench } from './harness';
import { ReportPage } from './reportPage';

const root = path.join(import.meta.dirname, '../..');

describe('the report of a real run', () => {
  let scratch: string;
  let file: string;

  beforeAll(() => {
    scratch = mkdtempSync(path.join(tmpdir(), 'moire-themes-'));
    file = path.join(scratch, 'target-4bit.moire.json');
    const run = spawnSync(process.execPath, ['dist/cli.js', 'bisect', 'samples/target-4bit', '--width', '4,8', '--draws', '2', '--walk', '64', '--out', file], { cwd: root, encoding: 'utf8' });
    // 1: the arms part, which they do at eight rows.
    expect(run.status, run.stderr).toBe(1);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('shows in a dark, a light and a high contrast theme, also when the theme changes under it', async () => {
    const vscode = await launchWorkbench({ theme: 'dark', viewport: { width: 1440, height: 960 } });
    const { workbench } = vscode;
    try {
      mkdirSync(path.join(vscode.workspace, '.moire'), { recursive: true });
      cpSync(file, path.join(vscode.workspace, '.moire', 'target-4bit.moire.json'));
      await workbench.command('Moire: Open Report', { asks: true });
      await workbench.answer('target-4bit');
      const page = new ReportPage(await workbench.webview('.map-cells'), firstRun(file));
      const colours = async (): Promise<string> => (await page.colours()).join();
      const inDark = await colours();
      for (const [name, theme] of [['dark', 'Dark Modern'], ['light', 'Light Modern'], ['highContrast', 'Dark High Contrast']] as const) {
        await workbench.command('Preferences: Color Theme', { asks: true });
        await workbench.answer(theme);
        await expect.poll(() => lightOnDark(page.frame), { timeout: 15_000 }).toBe(name !== 'light');
        if (name === 'light') await expect.poll(colours, { timeout: 15_000 }).not.toBe(inDark);
        await workbench.shot(`report-${name}`);
      }
      expect(workbench.violations).toEqual([]);
    } finally {
      await vscode.close();
    }
  });
});

function firstRun(file: string): BisectRun {
  const read = readReport(readFileSync(file, 'utf8'));
  const run = read.ok && read.report.kind === 'bisect' ? read.report.bisect.runs[0] : undefined;
  if (run === undefined) throw new Error('the report holds no run');
  return run;
}

/** Whether light text stands on a dark ground, with contrast enough. */
async function lightOnDark(frame: Frame): Promise<boolean | undefined> {
  const { background, text } = await frame.locator('body').evaluate((body) => ({ background: getComputedStyle(body).backgroundColor, text: getComputedStyle(body).color }));
  const difference = lightness(text) - lightness(background);
  return Math.abs(difference) > 90 ? difference > 0 : undefined;
}

/** Mean of the channels of "rgb(r, g, b)". */
function lightness(colour: string): number {
  const channels = colour.match(/[\d.]+/g)?.slice(0, 3).map(Number) ?? [];
  return channels.reduce((sum, channel) => sum + channel, 0) / 3;
}
