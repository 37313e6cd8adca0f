// What the in-host tests share: the extension, the sample model of the opened workspace, and waiting.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { MoireApi } from '../../src/extension/main';
import type { RunEnd } from '../../src/extension/runService';
import type { BisectExperiment } from '../../src/shared/experiment';
import type { BisectReport, Report, ReportOf } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';

export function extension(): vscode.Extension<MoireApi> {
  const found = vscode.extensions.getExtension<MoireApi>('moire.moire');
  assert.ok(found, 'the extension is not installed');
  return found;
}

export async function api(): Promise<MoireApi> {
  return extension().activate();
}

/** The folder that VS Code was opened on: a copy of samples/. */
export function workspace(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'no folder is open');
  return folder.uri.fsPath;
}

export function sampleModel(): string {
  return path.join(workspace(), 'target-4bit');
}

/** A second or two of work. */
export function experiment(changes: Partial<BisectExperiment> = {}): BisectExperiment {
  return { kind: 'bisect', model: sampleModel(), widths: [8], input: { type: 'draws', draws: 1, promptLength: 8 }, walk: 0, switches: {}, ...changes };
}

/** Work that nobody waits for: it is cancelled or killed. */
export function longExperiment(): BisectExperiment {
  return experiment({ widths: [2, 16, 15, 14, 13, 12, 11, 10], input: { type: 'draws', draws: 16, promptLength: 64 }, walk: 1024 });
}

export async function command(id: string, argument: unknown): Promise<RunEnd> {
  const end = await vscode.commands.executeCommand<RunEnd | undefined>(id, argument);
  assert.ok(end, 'the command gave no result');
  return end;
}

export const bisect = (argument: unknown): Promise<RunEnd> => command('moire.bisect', argument);

export function savedReportOf<K extends Report['kind']>(kind: K, file: string | undefined): ReportOf<K> {
  assert.ok(file !== undefined, 'no report was kept');
  const read = readReport(readFileSync(file, 'utf8'));
  assert.ok(read.ok, `the report cannot be read: ${read.ok ? '' : read.problem.detail}`);
  assert.equal(read.report.kind, kind);
  return read.report as ReportOf<K>;
}

export const savedReport = (file: string | undefined): BisectReport => savedReportOf('bisect', file);

export async function until<T>(what: string, probe: () => T | undefined | Promise<T | undefined>, limitMs = 20_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${limitMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The editor tells the extension host of its active editor after a document was shown, not with it. */
export async function textInFront(what: string, fits: (text: string) => boolean): Promise<void> {
  await until(what, () => fits(vscode.window.activeTextEditor?.document.getText() ?? '') || undefined);
}

export async function fileThere(file: string): Promise<void> {
  await until(`the file ${file}`, () => (existsSync(file) ? true : undefined));
}

/** The tab that shows a file with our editor, and the column it is in. */
export function reportTab(file: string): vscode.Tab | undefined {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.find(({ input }) => input instanceof vscode.TabInputCustom && input.viewType === 'moire.report' && input.uri.fsPath === file);
}

/** Sets a user setting and returns how to take it back. */
export async function setting(name: string, value: unknown, target = vscode.ConfigurationTarget.Global): Promise<() => Thenable<void>> {
  const section = vscode.workspace.getConfiguration('moire');
  await section.update(name, value, target);
  return () => section.update(name, undefined, target);
}

export async function closeAll(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}
