// Which accept log a command is about, where none is given: the one in front, one that was open, one that the workspace holds, or any other file.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { mayBeAcceptLog } from '../../shared/knownLines';
import type { FoundFile } from '../tree/headFile';
import { ageText } from '../tree/items';
import { eachOf, fileAt } from '../tree/search';

/** Those of the editor's selector in package.json. */
const endings = ['log', 'txt', 'jsonl', 'json', 'tsv'];
const filters = { [vscode.l10n.t('Accept logs')]: endings, [vscode.l10n.t('All files')]: ['*'] };

/** Files of the workspace that are looked at, and how far into each. */
const lookedAt = { files: 500, bytes: 256 * 1024 } as const;

interface LogItem extends vscode.QuickPickItem {
  readonly file?: string;
}

export interface Candidates {
  /** Offered first. */
  readonly first: vscode.Uri | undefined;
  /** Paths, latest first. */
  readonly recent: readonly string[];
  /** Not offered. */
  readonly without?: vscode.Uri;
}

export const mayBeLogByName = ({ path: name }: vscode.Uri): boolean => endings.some((ending) => name.toLowerCase().endsWith(`.${ending}`));

/** Undefined when the user gives up. */
export async function chooseLog(title: string, candidates: Candidates): Promise<vscode.Uri | undefined> {
  const items = await itemsOf(candidates);
  const browse: LogItem = { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true };
  const chosen = items.length === 0 ? browse : await vscode.window.showQuickPick([...items, browse], { title, placeHolder: vscode.l10n.t('Files that look like accept logs'), matchOnDescription: true, matchOnDetail: true });
  if (chosen === undefined) return undefined;
  return chosen.file === undefined ? (await vscode.window.showOpenDialog({ title, canSelectMany: false, filters }))?.[0] : vscode.Uri.file(chosen.file);
}

/** The one in front, those that were open, and what of the workspace begins as a log does. */
export async function itemsOf({ first, recent, without }: Candidates): Promise<LogItem[]> {
  const known = [...(first?.scheme === 'file' ? [first.fsPath] : []), ...recent];
  const named = (await eachOf(known, fileAt)).filter((file) => file !== undefined);
  const found = (await eachOf(await inWorkspace(known), looksLikeLog)).filter((file) => file !== undefined).sort((a, b) => b.at - a.at);
  const files = new Map([...named, ...found].filter((file) => file.path !== without?.fsPath).map((file) => [file.path, file]));
  return [...files.values()].map((file) => ({
    label: path.basename(file.path),
    description: file.path === first?.fsPath ? vscode.l10n.t('in front') : ageText(file.at),
    detail: vscode.workspace.asRelativePath(file.path),
    file: file.path,
  }));
}

async function inWorkspace(known: readonly string[]): Promise<string[]> {
  const uris = await vscode.workspace.findFiles(`**/*.{${endings.join()}}`, '**/{node_modules,.git}/**', lookedAt.files);
  return uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath).filter((file) => !known.includes(file));
}

async function looksLikeLog(file: string): Promise<FoundFile | undefined> {
  const found = await fileAt(file);
  return found !== undefined && mayBeAcceptLog(await beginningOf(file)) ? found : undefined;
}

/** "" of what cannot be read: a list is an offer. */
async function beginningOf(file: string): Promise<string> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(lookedAt.bytes), 0, lookedAt.bytes, 0);
      return new TextDecoder().decode(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}
