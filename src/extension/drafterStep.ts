// The step that asks for a drafter: the MTP head in the model itself, those found near it, or any folder.
import path from 'node:path';
import * as vscode from 'vscode';
import { pickStep, type Move, type Place } from './steps';

interface DrafterItem extends vscode.QuickPickItem {
  readonly folder?: string;
  readonly browse?: boolean;
}

/** `none`: what to call having no drafter, which is then ""; without, there has to be one. */
export function drafterStep(place: Place, experiment: { readonly model: string; drafter: string }, known: readonly string[], none?: string): Promise<Move> {
  return pickStep<DrafterItem>(place, {
    placeholder: vscode.l10n.t('Drafter'),
    items: () => [
      ...(none === undefined ? [] : [{ label: none, folder: '' }]),
      { label: vscode.l10n.t('MTP head of the model itself'), description: vscode.l10n.t('if the checkpoint has one'), folder: experiment.model },
      ...known.map((folder) => ({ label: path.basename(folder), description: path.dirname(folder), folder })),
      { label: vscode.l10n.t('$(folder-opened) Browse…'), browse: true, alwaysShow: true },
    ],
    active: ({ folder }) => folder === experiment.drafter,
    accept: async ({ folder, browse }) => {
      const chosen = browse === true ? await chooseFolder() : folder;
      if (chosen === undefined) return 'stay';
      experiment.drafter = chosen;
      return 'next';
    },
  });
}

async function chooseFolder(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ title: vscode.l10n.t('Drafter folder'), openLabel: vscode.l10n.t('Choose'), canSelectFiles: false, canSelectFolders: true });
  return chosen?.[0]?.fsPath;
}
