// Moire: Open Report. The reports of the reports folder, newest first, or any other file.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { reportExtension } from '../shared/report';
import { reportViewType } from './ids';
import { pickFile, type FileItem } from './pickFile';
import { readHead } from './tree/headFile';
import { aboutOf, nameOf } from './tree/items';
import { timeOf, wordOf, type ReportNode } from './tree/nodes';
import { eachOf, fileAt } from './tree/search';
import { verdictIcon } from './tree/verdictIcons';

const shown = 100;

export async function chooseReport(folder: string): Promise<void> {
  for (const uri of (await choose(folder, vscode.l10n.t('Open Report'), true)) ?? []) await vscode.commands.executeCommand('vscode.openWith', uri, reportViewType);
}

/** One report, other than `without`; undefined when the user gives up. */
export async function chooseReportFile(folder: string, title: string, without?: vscode.Uri): Promise<vscode.Uri | undefined> {
  return (await choose(folder, title, false, without?.fsPath))?.[0];
}

async function choose(folder: string, title: string, several: boolean, without?: string): Promise<readonly vscode.Uri[] | undefined> {
  const items = (await recent(folder)).filter(({ file }) => file !== without);
  return pickFile(items, { title, placeHolder: vscode.l10n.t('Reports in {0}', folder), browse: () => chooseFiles(folder, title, several) });
}

/** What a list to choose from says of a report: verdict, probe and what was asked above, and below the file by its whole name, which can be typed. */
export function reportChoice(node: ReportNode): FileItem {
  const { file, listed } = node;
  const word = wordOf(node);
  return {
    label: nameOf(node),
    description: 'head' in listed ? [listed.head.word, ...aboutOf(listed.head)].join(' · ') : '',
    detail: `${vscode.workspace.asRelativePath(file.path)} · ${new Date(timeOf(node)).toLocaleString()}`,
    ...(word !== null && { iconPath: verdictIcon(word) }),
    file: file.path,
  };
}

async function recent(folder: string): Promise<FileItem[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(reportExtension));
  const found = await eachOf(names, (name) => fileAt(path.join(folder, name)));
  const newest = found.filter((file) => file !== undefined).sort((a, b) => b.at - a.at).slice(0, shown);
  return (await eachOf(newest, async (file): Promise<ReportNode> => ({ type: 'report', file, listed: await readHead(file.path) }))).map(reportChoice);
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
