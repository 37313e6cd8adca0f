// The report in the four kinds of theme, for eyes: shots/report-<theme>.png. What can be checked without eyes is checked.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BisectRun } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';
import type { ThemeName } from '../view/themes';
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

  it('shows in a dark, a light and two high contrast themes, also when the theme changes under it', async () => {
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
      const given: Partial<Record<ThemeName, Variables>> = {};
      for (const [name, theme] of [['dark', 'Dark Modern'], ['light', 'Light Modern'], ['highContrast', 'Dark High Contrast'], ['highContrastLight', 'Light High Contrast']] as const) {
        await workbench.command('Preferences: Color Theme', { asks: true });
        await workbench.answer(theme);
        await expect.poll(() => lightOnDark(page.frame), { timeout: 15_000 }).toBe(!name.toLowerCase().includes('light'));
        if (name === 'light') await expect.poll(colours, { timeout: 15_000 }).not.toBe(inDark);
        await workbench.shot(`report-${name}`);
        given[name] = await page.frame.evaluate(colourVariables, variablesRead());
      }
      // What the tests of the views dress their pages in is what VS Code gives them; MOIRE_THEMES=keep writes it anew.
      if (process.env['MOIRE_THEMES'] === 'keep') writeFileSync(kept, `${JSON.stringify(given, null, 1)}\n`);
      expect(given).toEqual(JSON.parse(readFileSync(kept, 'utf8')));
      expect(workbench.violations).toEqual([]);
    } finally {
      await vscode.close();
    }
  });
});

type Variables = Readonly<Record<string, string>>;

const kept = path.join(root, 'test/view/themes.json');

/** Names of the variables of VS Code that the pages and their kit of controls read. */
function variablesRead(): string[] {
  const folder = path.join(root, 'dist/webview');
  const texts = readdirSync(folder).filter((name) => /\.(css|js)$/.test(name)).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const names = new Set(texts.flatMap((text) => [...text.matchAll(/--vscode-([A-Za-z-]+)/g)].map(([, name = '']) => name)));
  return [...names].filter((name) => !/font|editor-line/.test(name)).sort();
}

/** Those that the page has, as they stand in its root. */
function colourVariables(names: readonly string[]): Record<string, string> {
  const style = document.documentElement.style;
  const value = (name: string): string => style.getPropertyValue(`--vscode-${name}`).trim();
  return Object.fromEntries(names.map((name): [string, string] => [name, value(name)]).filter(([, text]) => text !== ''));
}

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
