// Text that the user has selected, offered as a prompt.
import * as vscode from 'vscode';
import { limits } from '../shared/experiment';

export interface Selected {
  readonly label: string;
  readonly detail: string;
  readonly text: string;
}

/** One entry, or none when nothing usable is selected. */
export function selections(): Selected[] {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection) ?? '';
  if (editor === undefined || text === '' || text.length > limits.promptChars) return [];
  return [{ label: vscode.l10n.t('Selection of the active editor'), detail: vscode.l10n.t('{0} characters of {1}', text.length, vscode.workspace.asRelativePath(editor.document.uri)), text }];
}
