import * as vscode from 'vscode';

/** Path of the first open folder on the local file system: where relative paths start. */
export function localFolder(): string | undefined {
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
}
