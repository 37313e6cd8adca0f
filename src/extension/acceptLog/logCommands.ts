// Commands over accept logs: open one, compare two, export one.
import * as vscode from 'vscode';
import { acceptLogViewType } from '../ids';
import { Problem } from '../problem';
import type { Services } from '../services';
import { openInPlace } from '../tabs';
import { chooseLog, mayBeLogByName } from './chooseLog';
import { chooseFormat, exportArgument, exportLog } from './exportLog';
import type { LogDocument } from './logDocument';
import { notOpen } from './logEditor';

/** A Uri or a path, as menus, key bindings and tests give them. */
function uriOf(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  return typeof argument === 'string' && argument !== '' && argument.length <= 4096 ? vscode.Uri.file(argument) : undefined;
}

/** The document in front, whichever editor shows it, if it can be a log by its name: who writes code in front of the command means another file. */
function inFront(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const uri = input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
  return uri !== undefined && mayBeLogByName(uri) ? uri : undefined;
}

/** `request`: its number, where one is to be shown. */
export async function inspect({ logs, memory }: Services, argument: unknown, request?: unknown): Promise<void> {
  const uri = uriOf(argument) ?? (await chooseLog(vscode.l10n.t('Inspect Accept Log'), { first: inFront(), recent: memory.recentLogs() }));
  if (uri === undefined) return;
  const document = await opened(logs, uri);
  if (typeof request === 'number' && Number.isInteger(request) && request >= 0) document.show(request);
}

async function opened(logs: Services['logs'], uri: vscode.Uri): Promise<LogDocument> {
  await openInPlace(uri, acceptLogViewType);
  const document = logs.document(uri);
  if (document === undefined) throw notOpen();
  return document;
}

/** Two files (of the explorer's selection, or as a list), or one that is open and another that is asked for. */
export async function compare({ logs, memory }: Services, argument: unknown, selected: unknown): Promise<void> {
  const [first, second] = given(argument, selected);
  const recent = memory.recentLogs();
  const uri = first ?? logs.document(undefined)?.uri ?? (await chooseLog(vscode.l10n.t('First Accept Log'), { first: inFront(), recent }));
  if (uri === undefined) return;
  const other = second ?? (await chooseLog(vscode.l10n.t('Accept Log to Compare with {0}', uri.path.split('/').at(-1) ?? ''), { first: undefined, recent, without: uri }));
  if (other === undefined) return;
  if (other.scheme !== 'file') throw new Problem({ kind: 'input', title: vscode.l10n.t('Accept logs are read from the local file system'), place: other.toString(), action: vscode.l10n.t('Copy the log to a local folder') });
  (await opened(logs, uri)).compareWith(other.fsPath);
}

function given(argument: unknown, selected: unknown): (vscode.Uri | undefined)[] {
  if (Array.isArray(argument)) return argument.slice(0, 2).map(uriOf);
  // The explorer gives the file that was clicked and all that are selected.
  const rest = Array.isArray(selected) ? selected.map(uriOf).filter((uri) => uri !== undefined && uri.toString() !== uriOf(argument)?.toString()) : [];
  return [uriOf(argument), rest[0]];
}

/** The file, for whoever runs the command by name. */
export async function exportCommand({ logs, log }: Services, argument: unknown): Promise<string | undefined> {
  const { uri, choice } = exportArgument(argument);
  const document = logs.document(uri);
  if (document === undefined) throw notOpen();
  const format = choice?.format ?? (await chooseFormat());
  return format === undefined ? undefined : exportLog(document, { ...choice, format }, log);
}
