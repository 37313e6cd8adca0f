// A list of files to choose from, which ends in a way to any other.
import * as vscode from 'vscode';

export interface FileItem extends vscode.QuickPickItem {
  readonly file: string;
}

interface Choice {
  readonly title: string;
  readonly placeHolder: string;
  /** Asks for files that are not in the list; what VS Code gives where the user gives up. */
  readonly browse: () => Thenable<readonly vscode.Uri[] | undefined>;
}

/** Undefined when the user gives up. Nothing to choose from leads to `browse` at once. */
export async function pickFile(items: readonly FileItem[], { title, placeHolder, browse }: Choice): Promise<readonly vscode.Uri[] | undefined> {
  // Last: it stays whatever is typed, and the first of what stays is chosen by Enter.
  const other = { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true, file: undefined };
  const chosen = items.length === 0 ? other : await vscode.window.showQuickPick([...items, other], { title, placeHolder, matchOnDescription: true, matchOnDetail: true });
  if (chosen === undefined) return undefined;
  return chosen.file === undefined ? browse() : [vscode.Uri.file(chosen.file)];
}
