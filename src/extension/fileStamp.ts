// Whether a file is still the one that was read.
import * as vscode from 'vscode';

/** Time and size, "" when there is no file. */
export async function stampOf(uri: vscode.Uri): Promise<string> {
  try {
    const { mtime, size } = await vscode.workspace.fs.stat(uri);
    return `${mtime} ${size}`;
  } catch {
    return '';
  }
}
