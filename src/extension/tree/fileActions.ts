// What is done with the files of the tree: reports and captures.
import path from 'node:path';
import * as vscode from 'vscode';
import { reportExtension, type Report } from '../../shared/report';
import { readReport, reportBytesLimit, tooLarge, type Unreadable } from '../../shared/reportFile';
import { reportChoice } from '../openReport';
import { trusted } from '../probeCommand';
import { fileReason, Problem } from '../problem';
import type { RunEnd } from '../runService';
import type { Services } from '../services';
import { filesOf, placesOf } from './given';

/** Runs the experiment of a report that need not be open. */
export async function runReportAgain({ runs }: Services, node: unknown): Promise<RunEnd | undefined> {
  const [file] = filesOf(node, undefined);
  if (file === undefined) return undefined;
  const { experiment } = await reportAt(file);
  return (await trusted()) ? runs.run(experiment) : undefined;
}

async function reportAt(file: string): Promise<Report> {
  const uri = vscode.Uri.file(file);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > reportBytesLimit) throw unreadable(tooLarge(size), file);
  const found = readReport(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  if (!found.ok) throw unreadable(found.problem, file);
  return found.report;
}

const unreadable = ({ title, detail, action }: Unreadable, place: string): Problem => new Problem({ kind: 'input', title: `${title}: ${detail}`, place, action });

/** The view that compares two reports. */
const compareCommand = 'moire.compareReports';

/** Two that are selected, or the clicked one with another that is asked for. */
export async function compareReport(services: Services, node: unknown, selected: unknown): Promise<void> {
  const [a, second] = filesOf(node, selected);
  if (a === undefined) return;
  const b = second ?? (await chooseOther(services, a));
  if (b !== undefined) await vscode.commands.executeCommand(compareCommand, vscode.Uri.file(a), vscode.Uri.file(b));
}

async function chooseOther({ tree }: Services, file: string): Promise<string | undefined> {
  const { shown } = await tree.lists.reports();
  const others = shown.filter((report) => report.file.path !== file && 'head' in report.listed);
  const items = others.map(reportChoice);
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Compare With'), placeHolder: vscode.l10n.t('The report to compare {0} with', path.basename(file, reportExtension)), matchOnDescription: true, matchOnDetail: true });
  return chosen?.file;
}

export async function revealPlace(node: unknown): Promise<void> {
  const [place] = placesOf(node, undefined);
  if (place === undefined) return;
  const uri = vscode.Uri.file(place);
  // The explorer shows the workspace alone; what lies elsewhere is shown by the system, where there is one.
  await vscode.commands.executeCommand(vscode.workspace.getWorkspaceFolder(uri) === undefined ? 'revealFileInOS' : 'revealInExplorer', uri);
}

/** A line each. Resolves with the text. */
export async function copyPaths(node: unknown, selected: unknown): Promise<string> {
  const text = placesOf(node, selected).join('\n');
  await vscode.env.clipboard.writeText(text);
  return text;
}

/** Only reports, and only after a question. */
export async function deleteReports(node: unknown, selected: unknown): Promise<void> {
  const files = filesOf(node, selected).filter((file) => file.endsWith(reportExtension));
  const [first] = files;
  if (first === undefined) return;
  const name = path.basename(first);
  const question = files.length === 1 ? vscode.l10n.t('Move the report {0} to the trash?', name) : vscode.l10n.t('Move {0} reports to the trash?', files.length);
  const move = vscode.l10n.t('Move to Trash');
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail: files.slice(0, 10).join('\n') }, move)) !== move) return;
  const refused = await deleteEach(files, true);
  if (refused.length === 0) return;
  // Not every machine has a trash.
  const [{ reason } = { reason: '' }] = refused;
  const forGood = vscode.l10n.t('Delete for Good');
  const again = refused.length === 1 ? vscode.l10n.t('The report cannot be moved to the trash. Delete it for good?') : vscode.l10n.t('{0} reports cannot be moved to the trash. Delete them for good?', refused.length);
  if ((await vscode.window.showWarningMessage(again, { modal: true, detail: reason }, forGood)) !== forGood) return;
  const [left] = await deleteEach(refused.map(({ file }) => file), false);
  if (left !== undefined) throw new Problem({ kind: 'environment', title: vscode.l10n.t('The report cannot be deleted: {0}', left.reason), place: left.file, action: '' });
}

async function deleteEach(files: readonly string[], useTrash: boolean): Promise<{ file: string; reason: string }[]> {
  const refused: { file: string; reason: string }[] = [];
  for (const file of files) {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(file), { useTrash });
    } catch (error) {
      refused.push({ file, reason: fileReason(error) });
    }
  }
  return refused;
}
