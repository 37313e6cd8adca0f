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
    placeholder: 'Drafter',
    items: () => [
      ...(none === undefined ? [] : [{ label: none, folder: '' }]),
      { label: 'MTP head of the model itself', description: 'if the checkpoint has one', folder: experiment.model },
      ...known.map((folder) => ({ label: path.basename(folder), description: path.dirname(folder), folder })),
      { label: '$(folder-opened) Browse…', browse: true, alwaysShow: true },
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
  const chosen = await vscode.window.showOpenDialog({ title: 'Drafter folder', openLabel: 'Choose', canSelectFiles: false, canSelectFolders: true });
  return chosen?.[0]?.fsPath;
}
