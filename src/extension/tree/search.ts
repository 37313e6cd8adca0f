// Finds what the tree view lists: files by their ending in the open folders and in folders of ours. Nothing of a file is read here.
import { append } from '../../shared/append';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { FoundFile } from './headFile';

/** More than that are not looked for: an open folder may hold anything. */
export const mostFound = 5000;
/** Files that are looked at together. */
const together = 16;

export interface Files {
  /** Newest first. */
  readonly files: readonly FoundFile[];
  /** There may be more. */
  readonly cut: boolean;
}

/** `folders`: looked into beside the workspace, without the folders in them. */
export async function filesEnding(ending: string, folders: readonly string[]): Promise<Files> {
  const [open, ...others] = await Promise.all([inWorkspace(ending), ...folders.map((folder) => inFolder(folder, ending))]);
  const paths = [...new Set([...open, ...others.flat()])];
  const found = await eachOf(paths.slice(0, mostFound), fileAt);
  return { files: found.filter((file) => file !== undefined).sort((a, b) => b.at - a.at), cut: open.length >= mostFound || paths.length > mostFound };
}

async function inWorkspace(ending: string): Promise<string[]> {
  const uris = await vscode.workspace.findFiles(`**/*${ending}`, '**/{node_modules,.git}/**', mostFound);
  return uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
}

async function inFolder(folder: string, ending: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(ending)).map((name) => path.join(folder, name));
}

/** Undefined where there is no file. */
export async function fileAt(file: string): Promise<FoundFile | undefined> {
  return stat(file).then(
    (found) => (found.isFile() ? { path: file, bytes: found.size, at: found.mtimeMs } : undefined),
    () => undefined,
  );
}

/** As Promise.all over a map, with few at a time. */
export async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += together) append(results, await Promise.all(items.slice(at, at + together).map(work)));
  return results;
}
