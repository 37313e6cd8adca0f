// Which tabs show a file, so that none is opened a second time.
import * as vscode from 'vscode';

const isOf = (uri: vscode.Uri, input: vscode.TabInputText | vscode.TabInputCustom): boolean => input.uri.toString() === uri.toString();

/** The column in which our editor shows a file. */
export function columnOf(uri: vscode.Uri, viewType: string): vscode.ViewColumn | undefined {
  const shows = ({ input }: vscode.Tab): boolean => input instanceof vscode.TabInputCustom && input.viewType === viewType && isOf(uri, input);
  return vscode.window.tabGroups.all.find(({ tabs }) => tabs.some(shows))?.viewColumn;
}

function textInFront(uri: vscode.Uri): vscode.Tab | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab?.input instanceof vscode.TabInputText && isOf(uri, tab.input) ? tab : undefined;
}

/** Shows a file with our editor: in the tab that has it, else in the place of its text where that is in front, as "Reopen Editor With" does. What is not saved stays. */
export async function openInPlace(uri: vscode.Uri, viewType: string): Promise<void> {
  const viewColumn = columnOf(uri, viewType);
  const text = viewColumn === undefined ? textInFront(uri) : undefined;
  await vscode.commands.executeCommand('vscode.openWith', uri, viewType, viewColumn ?? vscode.ViewColumn.Active);
  // A preview has made room by itself.
  const stands = text !== undefined && vscode.window.tabGroups.all.some(({ tabs }) => tabs.includes(text));
  if (stands && !text.isDirty) await vscode.window.tabGroups.close(text);
}
