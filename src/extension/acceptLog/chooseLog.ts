// Which accept log a command is about, where none is given: the one in front, one that was open, one that the workspace holds, or any other file.
import path from 'node:path';
import * as vscode from 'vscode';
import { mayBeAcceptLog } from '../../shared/knownLines';
import { pickFile, type FileItem } from '../pickFile';
import { beginningOf, type FoundFile } from '../tree/headFile';
import { ageText } from '../tree/items';
import { eachOf, fileAt } from '../tree/search';

/** Those of the editor's selector in package.json. */
const endings = ['log', 'txt', 'jsonl', 'json', 'tsv'];
const filters = { [vscode.l10n.t('Accept logs')]: endings, [vscode.l10n.t('All files')]: ['*'] };

/** Files of the workspace that are looked at, and how far into each. */
const lookedAt = { files: 500, bytes: 256 * 1024 } as const;

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
  const browse = (): Thenable<readonly vscode.Uri[] | undefined> => vscode.window.showOpenDialog({ title, canSelectMany: false, filters });
  return (await pickFile(await itemsOf(candidates), { title, placeHolder: vscode.l10n.t('Files that look like accept logs'), browse }))?.[0];
}

/** The one in front, those that were open, and what of the workspace begins as a log does. */
export async function itemsOf({ first, recent, without }: Candidates): Promise<FileItem[]> {
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

/** "" of what cannot be read: a list is an offer. */
const beginning = (file: string): Promise<string> => beginningOf(file, lookedAt.bytes).catch(() => '');

async function looksLikeLog(file: string): Promise<FoundFile | undefined> {
  const found = await fileAt(file);
  return found !== undefined && mayBeAcceptLog(await beginning(file)) ? found : undefined;
}
