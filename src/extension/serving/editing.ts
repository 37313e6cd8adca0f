// What a completion does to the editor: insert at the cursor, replace the selection.
import * as vscode from 'vscode';
import { Problem } from '../problem';

/** The editor that had the focus last; a panel that is clicked leaves it. */
function editor(): vscode.TextEditor {
  const active = vscode.window.activeTextEditor;
  if (active === undefined) throw new Problem({ kind: 'input', title: vscode.l10n.t('There is no open text editor'), place: '', action: vscode.l10n.t('Open the file that the text shall go to') });
  return active;
}

/** `replace`: what is selected goes; else the text comes where the cursor is, behind a selection. */
export async function write(text: string, replace: boolean): Promise<void> {
  const target = editor();
  const { selection, document } = target;
  const done = await target.edit((edit) => edit.replace(replace ? selection : new vscode.Range(selection.end, selection.end), text));
  if (!done) throw new Problem({ kind: 'input', title: vscode.l10n.t('The editor took no text'), place: document.uri.fsPath, action: vscode.l10n.t('See whether the file is read-only') });
  await vscode.window.showTextDocument(document, { ...(target.viewColumn === undefined ? {} : { viewColumn: target.viewColumn }), preserveFocus: false });
}

/** The selection, else all before the cursor. */
export function promptOfEditor(): string {
  const { document, selection } = editor();
  return selection.isEmpty ? document.getText(new vscode.Range(new vscode.Position(0, 0), selection.active)) : document.getText(selection);
}
