// What to press where nothing is served.
import * as vscode from 'vscode';
import type { Action } from '../messages';

export const startOffers: readonly Action[] = [
  { label: vscode.l10n.t('Start Served Run'), run: () => vscode.commands.executeCommand('moire.startServedRun') },
  { label: vscode.l10n.t('Attach to Server'), run: () => vscode.commands.executeCommand('moire.attach') },
];
