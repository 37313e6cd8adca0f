// The report in the three kinds of theme, for eyes: shots/report-<theme>.png. What can be checked without eyes is checked.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchWorkbench } from './harness';

const root = path.join(import.meta.dirname, '../..');

describe('the report of a real run', () => {
  let scratch: string;
  let file: string;

  beforeAll(() => {
    scratch = mkdtempSync(path.join(tmpdir(), 'moire-themes-'));
    file = path.join(scratch, 'target-4bit.moire.json');
    const run = spawnSync(process.execPath, ['dist/cli.js', 'bisect', 'samples/target-4bit', '--width', '4,8', '--draws', '2', '--out', file], { cwd: root, encoding: 'utf8' });
    // 1: the arms part, which they do at eight rows.
    expect(run.status, run.stderr).toBe(1);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it.each(['dark', 'light', 'highContrast'] as const)('shows in the theme %s', async (theme) => {
    const vscode = await launchWorkbench({ theme, viewport: { width: 1440, height: 960 } });
    try {
      mkdirSync(path.join(vscode.workspace, '.moire'), { recursive: true });
      cpSync(file, path.join(vscode.workspace, '.moire', 'target-4bit.moire.json'));
      await vscode.workbench.command('Moire: Open Report', { asks: true });
      await vscode.workbench.answer('target-4bit');
      const frame = await vscode.workbench.webview('.map-cells');
      const { background, text } = await frame.locator('body').evaluate((body) => ({ background: getComputedStyle(body).backgroundColor, text: getComputedStyle(body).color }));
      expect(lightness(text) > lightness(background)).toBe(theme !== 'light');
      expect(Math.abs(lightness(text) - lightness(background))).toBeGreaterThan(90);
      await vscode.workbench.shot(`report-${theme}`);
      expect(vscode.workbench.violations).toEqual([]);
    } finally {
      await vscode.close();
    }
  });
});

/** Mean of the channels of "rgb(r, g, b)". */
function lightness(colour: string): number {
  const channels = colour.match(/[\d.]+/g)?.slice(0, 3).map(Number) ?? [];
  return channels.reduce((sum, channel) => sum + channel, 0) / 3;
}
