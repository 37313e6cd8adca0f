// Moire: Open Report. The reports of the reports folder, newest first, or any other file.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { reportExtension } from '../shared/report';
import { reportViewType } from './ids';

const shown = 100;

interface ReportItem extends vscode.QuickPickItem {
  readonly file?: string;
}

export async function chooseReport(folder: string): Promise<void> {
  for (const uri of (await choose(folder, vscode.l10n.t('Open Report'), true)) ?? []) await vscode.commands.executeCommand('vscode.openWith', uri, reportViewType);
}

/** One report, other than `without`; undefined when the user gives up. */
export async function chooseReportFile(folder: string, title: string, without?: vscode.Uri): Promise<vscode.Uri | undefined> {
  return (await choose(folder, title, false, without?.fsPath))?.[0];
}

async function choose(folder: string, title: string, several: boolean, without?: string): Promise<readonly vscode.Uri[] | undefined> {
  const items: ReportItem[] = (await recent(folder)).filter(({ file }) => file !== without);
  const browse: ReportItem = { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true };
  const chosen = items.length === 0 ? browse : await vscode.window.showQuickPick([browse, ...items], { title, placeHolder: vscode.l10n.t('Reports in {0}', folder) });
  if (chosen === undefined) return undefined;
  return chosen.file === undefined ? chooseFiles(folder, title, several) : [vscode.Uri.file(chosen.file)];
}

async function recent(folder: string): Promise<ReportItem[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(reportExtension));
  const dated = await Promise.all(names.map(async (name) => ({ name, time: await modified(path.join(folder, name)) })));
  return dated
    .sort((a, b) => b.time - a.time)
    .slice(0, shown)
    .map(({ name, time }) => ({ label: name.slice(0, -reportExtension.length), description: new Date(time).toLocaleString(), file: path.join(folder, name) }));
}

async function modified(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function chooseFiles(folder: string, title: string, several: boolean): Promise<readonly vscode.Uri[]> {
  const chosen = await vscode.window.showOpenDialog({
    title,
    canSelectMany: several,
    filters: { [vscode.l10n.t('Moire report')]: [reportExtension.slice(1), 'json'] },
    defaultUri: vscode.Uri.file(folder),
  });
  return chosen ?? [];
}
