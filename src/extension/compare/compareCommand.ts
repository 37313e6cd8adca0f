// Moire: Compare Reports. Two of the explorer's selection, a list of two, or one that is open or chosen against another that is chosen.
import * as vscode from 'vscode';
import { chooseReportFile } from '../openReport';
import { Problem } from '../problem';
import { reportsDirectory } from '../reportStore';
import type { Services } from '../services';
import { fileName } from '../watchFile';
import { localFolder } from '../workspaceFolder';

/** A Uri or a path, as menus, key bindings and tests give them. */
function uriOf(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  return typeof argument === 'string' && argument !== '' && argument.length <= 4096 ? vscode.Uri.file(argument) : undefined;
}

function given(argument: unknown, selected: unknown): readonly (vscode.Uri | undefined)[] {
  if (Array.isArray(argument)) return argument.slice(0, 2).map(uriOf);
  // The explorer gives the file that was clicked and all that are selected, in the order of the list; an editor's title gives its own file alone.
  const all = Array.isArray(selected) ? selected.map(uriOf).filter((uri) => uri !== undefined) : [];
  return all.length >= 2 ? all.slice(0, 2) : [uriOf(argument), undefined];
}

export async function compareReports({ comparisons, editor, settings, extension }: Services, argument: unknown, selected: unknown): Promise<void> {
  const folder = reportsDirectory({ setting: settings().reportsDirectory, workspace: localFolder(), storage: extension.storage.fsPath });
  const [first, second] = given(argument, selected);
  const a = first ?? editor.inFront(undefined) ?? (await chooseReportFile(folder, vscode.l10n.t('Report Before (A)')));
  if (a === undefined) return;
  const b = second ?? (await chooseReportFile(folder, vscode.l10n.t('Report to Compare with {0}', fileName(a)), a));
  if (b === undefined) return;
  if (a.toString() === b.toString()) throw new Problem({ kind: 'input', title: vscode.l10n.t('A report cannot be compared with itself'), place: a.fsPath, action: vscode.l10n.t('Choose another one') });
  await comparisons.show({ a, b });
}
