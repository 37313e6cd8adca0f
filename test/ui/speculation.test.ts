// The probes over speculation as a user meets them: the palette, the steps, the report in words and tables, in every kind of theme.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../../src/shared/account';
import { launchWorkbench, type Launched } from './harness';
import { reportCount, reportOf } from './reports';

/** What is typed or chosen at each step. */
type Steps = readonly string[];

const gate: Steps = ['target-4bit', '4, 8', '16', 'Run'];
const replay: Steps = ['target-4bit', 'List of kept rows', '1, 2, 3', '4', '40', 'Prompt text', 'export function selectByKey('];
const parity: Steps = ['target-4bit', 'drafter', '2, 4', 'Prompt text', 'export function selectByKey(', '24'];

describe('speculation from the palette', () => {
  let vscode: Launched;
  beforeAll(async () => {
    vscode = await launchWorkbench({ theme: 'dark', viewport: { width: 1400, height: 1000 } });
  });
  afterAll(() => vscode.close());

  const step = (at: number): Promise<void> => vscode.workbench.page.locator('.quick-input-title', { hasText: `${at}/` }).waitFor({ timeout: 20_000 });

  async function walk(command: string, answers: Steps): Promise<void> {
    await vscode.workbench.command(`Moire: ${command}`, { asks: true });
    for (const [i, answer] of answers.entries()) {
      await step(i + 1);
      await vscode.workbench.answer(answer);
    }
  }

  async function shown(): Promise<{ question: string; headings: string[] }> {
    const frame = await vscode.workbench.webview('.account .question');
    return { question: await frame.locator('.question').innerText(), headings: await frame.locator('.account h2').allInnerTexts() };
  }

  it('asks the gate, and tells the decision with its reason', async () => {
    await walk('Ask the Exactness Gate', gate);
    await reportCount(vscode.workspace, 1);
    const { report } = reportOf(vscode.workspace, 'gate');
    expect(report.gate.widths.map(({ decision }) => decision)).toEqual(['engage', 'decline']);
    const { question, sections } = accountOf(report);
    await expect.poll(shown).toEqual({ question, headings: sections.map(({ heading }) => heading) });
    await vscode.workbench.toast('Exactness gate of target-4bit: declined');
  });

  it('replays an accept sequence', async () => {
    await walk('Replay an Accept Sequence', replay);
    await step(replay.length + 1);
    // The fills are a list to tick; what is ticked is taken.
    await vscode.workbench.accept();
    await step(replay.length + 2);
    await vscode.workbench.shot('wizard-replay');
    await vscode.workbench.accept();
    await reportCount(vscode.workspace, 2);
    const { report } = reportOf(vscode.workspace, 'replay');
    expect([report.replay.rounds, report.replay.keptSum, report.replay.prompt.source]).toEqual([21, 40, 'text']);
  });

  it('runs parity with the sample drafter, and shows the report in three themes', async () => {
    const { workbench } = vscode;
    // Pages of hidden tabs stay in the browser and would be found first.
    await workbench.command('View: Close All Editors');
    await walk('Check Parity', parity);
    await step(parity.length + 2);
    await workbench.accept();
    await reportCount(vscode.workspace, 3);
    const { report } = reportOf(vscode.workspace, 'parity');
    expect(report.parity.runs.map(({ outcome }) => outcome)).toEqual(['equal', 'equal']);
    await expect.poll(async () => (await shown()).question).toBe(accountOf(report).question);
    for (const [name, theme] of [['dark', 'Dark Modern'], ['light', 'Light Modern'], ['highContrast', 'Dark High Contrast']] as const) {
      await workbench.command('Preferences: Color Theme', { asks: true });
      await workbench.answer(theme);
      await workbench.page.waitForTimeout(800);
      await workbench.shot(`parity-${name}`);
    }
    expect(workbench.violations).toEqual([]);
  });
});
