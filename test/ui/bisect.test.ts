// The main job as a user does it: the palette, the steps, the report, the heat map down to an element; then the engine dies.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BisectReport, BisectRun } from '../../src/shared/report';
import { launchWorkbench, type Launched } from './harness';
import { ReportPage } from './reportPage';
import { lastReport, reportCount } from './reports';

interface Answers {
  readonly widths: string;
  readonly draws: string;
  readonly promptLength: string;
  readonly walk: string;
}

const quick: Answers = { widths: '8', draws: '1', promptLength: '8', walk: '0' };
const long: Answers = { widths: '2 16 15 14 13 12 11 10', draws: '16', promptLength: '64', walk: '1024' };

describe('bisect from the palette', () => {
  let vscode: Launched;
  let report: BisectReport;
  let run: BisectRun;
  let page: ReportPage;

  beforeAll(async () => {
    vscode = await launchWorkbench({ theme: 'dark', viewport: { width: 1400, height: 900 } });
  });
  afterAll(() => vscode.close());

  /** The steps up to the switches, with keys alone. */
  async function answerSteps(answers: Answers): Promise<void> {
    const { workbench } = vscode;
    await workbench.command('Moire: Bisect Block vs Chain', { asks: true });
    await step('1/7');
    await workbench.answer('target-4bit');
    for (const [at, text] of [['2/7', answers.widths], ['3/7', 'Synthetic'], ['4/7', answers.draws], ['5/7', answers.promptLength], ['6/7', answers.walk]] as const) {
      await step(at);
      await workbench.answer(text);
    }
    await step('7/7');
  }

  async function step(at: string): Promise<void> {
    await vscode.workbench.page.locator('.quick-input-title', { hasText: at }).waitFor({ timeout: 20_000 });
  }

  const partials = (): number => readdirSync(vscode.workspace, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.partial.moire.json')).length;
  /** A run that is cancelled before its first comparison has nothing to tell, so it is given the time for one. */
  const compared = (before: number): Promise<void> => expect.poll(partials, { timeout: 60_000 }).toBeGreaterThan(before);

  const title = (): Promise<string> => vscode.workbench.page.locator('.quick-input-title').innerText();
  const pressEnter = (): Promise<void> => vscode.workbench.accept();

  it('asks step by step, goes back, and refuses what cannot be', async () => {
    const { workbench } = vscode;
    await answerSteps({ ...quick, widths: '4' });
    await workbench.page.locator('.quick-input-widget .codicon-quick-input-back').first().click();
    await step('6/7');
    await workbench.answer('99999');
    await workbench.page.locator('.quick-input-message', { hasText: 'Give a whole number from 0 to 16384.' }).waitFor();
    expect(await title()).toContain('6/7');
    await workbench.answer('0');
    await step('7/7');
    await workbench.shot('wizard-switches');
    await workbench.page.keyboard.press('Escape');
  });

  it('runs on the sample model, with keys alone, and opens the report', async () => {
    await answerSteps(quick);
    await pressEnter();
    await reportCount(vscode.workspace, 1);
    const saved = lastReport(vscode.workspace);
    report = saved.report;
    const [only] = report.bisect.runs;
    if (only === undefined) throw new Error('the report holds no run');
    run = only;
    expect(report.experiment).toMatchObject({ widths: [8], input: { type: 'draws', draws: 1, promptLength: 8 }, walk: 0 });
    await vscode.workbench.toast(report.verdict.sentence.slice(0, 60));
    await vscode.workbench.tab(saved.name).waitFor();
    page = new ReportPage(await vscode.workbench.webview('.map-cells'), run);
    await page.frame.locator('body').evaluate((body) => document.addEventListener('securitypolicyviolation', (event) => (body.dataset['violation'] = event.violatedDirective)));
  });

  it('colours the cells that differ, and only those', async () => {
    await expect.poll(async () => new Set(await page.colours()).size).toBeGreaterThan(1);
    const colours = await page.colours();
    const compared = (i: number): boolean => (run.cells.rowBytes[Math.floor(i / run.cells.positions)] ?? 0) > 0;
    const at = (differs: boolean): Set<string> => new Set(colours.filter((_, i) => compared(i) && (run.cells.differingBytes[i] ?? 0) > 0 === differs));
    expect(at(true).size).toBeGreaterThan(0);
    expect([...at(true)].filter((colour) => at(false).has(colour))).toEqual([]);
  });

  it('starts at the first divergence, and says so', async () => {
    expect(run.first).not.toBeNull();
    if (run.first === null) return;
    await page.expectSelected(run.first);
    expect(await page.selected()).toContain('first divergence');
    const taps = await page.taps();
    const firstDiffering = taps.findIndex(({ differs }) => differs);
    expect(taps[firstDiffering]?.name).toBe(run.first.tap);
    await vscode.workbench.shot('report-dark-run');
  });

  it('shows the taps of a cell that is clicked, and the elements of a tap', async () => {
    const { differing } = run;
    // The last tap with a tile, away from the first divergence.
    const tap = differing.tile.findLastIndex((tile) => tile >= 0);
    const cell = { row: differing.row[tap] ?? 0, position: differing.position[tap] ?? 0 };
    await page.clickCell(cell);
    await page.expectSelected(cell);
    expect((await page.taps()).filter(({ differs }) => differs).map(({ name }) => name)).toEqual(
      differing.tap.filter((_, i) => differing.row[i] === cell.row && differing.position[i] === cell.position),
    );
    await page.chooseTap(tap);
    await expect.poll(() => page.elementsHeading()).toContain(differing.tap[tap]);
    const shown = await page.firstElement();
    expect(shown.replaceAll(',', '')).toContain(String(differing.firstIndex[tap]));
  });

  it('loads all elements of that tap from the engine, and proves that they are those of the report', async () => {
    const tap = run.differing.tile.findLastIndex((tile) => tile >= 0);
    expect(await page.loadElements()).toContain(`All ${(run.differing.elements[tap] ?? 0).toLocaleString('en-US')} elements, computed again by the engine. Counts, first difference and tile are those of the report.`);
    await expect.poll(async () => (await page.firstElement()).replaceAll(',', ''), { timeout: 20_000 }).toContain(String(run.differing.firstIndex[tap]));
  });

  it('can be walked with keys alone: to the first divergence, into its taps, to an element', async () => {
    const { keyboard } = vscode.workbench.page;
    const first = run.first ?? { row: 0, position: 0 };
    await page.frame.locator('.map-grid').focus();
    await keyboard.press('f');
    await page.expectSelected(first);
    await keyboard.press('ArrowDown');
    await page.expectSelected({ ...first, row: first.row + 1 });
    await keyboard.press('f');
    await keyboard.press('Enter');
    await expect.poll(() => page.frame.evaluate(() => document.activeElement?.getAttribute('data-tap'))).not.toBeNull();
    await pressEnter();
    await expect.poll(() => page.elementsHeading()).toContain(run.first?.tap);
    await keyboard.press('Escape');
    await expect.poll(() => page.frame.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
  });

  it('keeps what was selected while another editor hides it', async () => {
    const { workbench } = vscode;
    const last = { row: run.rows.length - 1, position: run.cells.positions - 1 };
    await page.clickCell(last);
    await page.expectSelected(last);
    await workbench.tab(/\.moire\.json/).click();
    await workbench.command('File: New Untitled Text File');
    await expect.poll(() => page.frame.isDetached()).toBe(true);
    await workbench.tab(/\.moire\.json/).click();
    page = new ReportPage(await workbench.webview('.map-cells'), run);
    await page.expectSelected(last);
  });

  it('copies through the clipboard of the editor', async () => {
    const { workbench } = vscode;
    await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.frame.locator('vscode-button, button', { hasText: /Copy/ }).first().click();
    await expect.poll(() => workbench.page.evaluate(() => navigator.clipboard.readText())).toContain(report.verdict.word);
  });

  it('broke no content security policy', async () => {
    expect(vscode.workbench.violations).toEqual([]);
    expect(await page.frame.locator('body').getAttribute('data-violation')).toBeNull();
  });

  it('stops at the button of the notification', async () => {
    const { workbench } = vscode;
    await answerSteps(long);
    const before = partials();
    await pressEnter();
    const toast = await workbench.toast(/Moire: Bisect of target-4bit.*(?:width|draw|load)/s);
    await compared(before);
    await toast.hover();
    await toast.locator('.action-label, .monaco-button', { hasText: 'Cancel' }).first().click();
    await workbench.toast(/cancelled|not complete/, 5000);
    await workbench.command('Notifications: Clear All Notifications');
  });

  it.runIf(process.platform === 'linux')('offers a restart when the engine is killed, and the run works', { timeout: 240_000 }, async () => {
    const { workbench } = vscode;
    await answerSteps(long);
    const before = partials();
    await pressEnter();
    await expect.poll(() => engineProcesses(vscode.server.child.pid).length, { timeout: 20_000 }).toBe(1);
    await compared(before);
    for (const pid of engineProcesses(vscode.server.child.pid)) process.kill(pid, 'SIGKILL');
    const toast = await workbench.toast(/The engine process was ended by SIGKILL/);
    await workbench.shot('engine-killed');
    await toast.locator('.monaco-button', { hasText: 'Show Partial Report' }).waitFor();
    await toast.locator('.monaco-button', { hasText: 'Restart and Run Again' }).click();
    const running = await workbench.toast(/Moire: Bisect of target-4bit.*(?:width|draw|load)/s);
    await compared(before + 1);
    await running.hover();
    await running.locator('.action-label, .monaco-button', { hasText: 'Cancel' }).first().click();
    await workbench.toast(/cancelled|not complete/, 10_000);
  });
});

/** Engine processes in the group of a server. */
function engineProcesses(server: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const group = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[2]);
        return group === server && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('engineProcess.js');
      } catch {
        return false;
      }
    });
}
