// The verdicts as icons of VS Code: the nearest to the outlines of src/webview/view/icons.ts (circle, square, diamond, cross, slashed circle, triangle) in the same colours. No two have one shape.
import * as vscode from 'vscode';
import type { VerdictWord } from '../../shared/verdictWord';

const signs: Readonly<Record<VerdictWord, { readonly icon: string; readonly colour: string }>> = {
  equal: { icon: 'pass', colour: 'charts.green' },
  drift: { icon: 'diff-modified', colour: 'charts.yellow' },
  tie: { icon: 'debug-breakpoint-log-unverified', colour: 'charts.blue' },
  defect: { icon: 'error', colour: 'charts.red' },
  declined: { icon: 'circle-slash', colour: 'charts.purple' },
  void: { icon: 'warning', colour: 'descriptionForeground' },
};

export function verdictIcon(word: VerdictWord): vscode.ThemeIcon {
  const { icon, colour } = signs[word];
  return new vscode.ThemeIcon(icon, new vscode.ThemeColor(colour));
}
