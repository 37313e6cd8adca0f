// The step that asks for a checkpoint: recent ones, those of the open folders, the samples, or any folder.
import path from 'node:path';
import * as vscode from 'vscode';
import type { ModelFacts } from '../shared/engineProtocol';
import type { ModelDraft } from './draft';
import { faultOfFolder } from './modelFolders';
import { asProblem } from './problem';
import { pickStep, type Move, type Place } from './steps';

export interface ModelChoices {
  readonly recent: readonly string[];
  readonly workspace: readonly string[];
  readonly samples: readonly string[];
  /** What the engine says of a folder; rejects with a Problem. */
  readonly inspect: (folder: string) => Promise<ModelFacts>;
}

interface ModelItem extends vscode.QuickPickItem {
  readonly folder?: string;
  readonly browse?: boolean;
}

export function modelStep(place: Place, draft: ModelDraft, models: ModelChoices): Promise<Move> {
  return pickStep<ModelItem>(place, {
    placeholder: vscode.l10n.t('Model folder: config.json with .safetensors files'),
    items: () => items(models),
    active: (item) => item.folder === draft.experiment.model,
    accept: async (item) => {
      const folder = item.browse === true ? await browse() : item.folder;
      return folder === undefined ? 'stay' : take(folder, draft, models);
    },
  });
}

function items({ recent, workspace, samples }: ModelChoices): ModelItem[] {
  const listed = new Set<string>();
  const group = (label: string, folders: readonly string[]): ModelItem[] => {
    const fresh = folders.filter((folder) => !listed.has(folder));
    for (const folder of fresh) listed.add(folder);
    const separator: ModelItem = { label, kind: vscode.QuickPickItemKind.Separator };
    return fresh.length === 0 ? [] : [separator, ...fresh.map((folder) => ({ label: path.basename(folder), description: path.dirname(folder), folder }))];
  };
  const other: ModelItem[] = [{ label: '', kind: vscode.QuickPickItemKind.Separator }, { label: vscode.l10n.t('$(folder-opened) Browse…'), browse: true, alwaysShow: true }];
  return [...group(vscode.l10n.t('recent'), recent), ...group(vscode.l10n.t('in this workspace'), workspace), ...group(vscode.l10n.t('samples'), samples), ...other];
}

async function browse(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ title: vscode.l10n.t('Model folder'), openLabel: vscode.l10n.t('Choose'), canSelectFiles: false, canSelectFolders: true });
  return chosen?.[0]?.fsPath;
}

/** A folder that cannot be used is refused here, with the reason, and the list stays. */
async function take(folder: string, draft: ModelDraft, models: ModelChoices): Promise<Move | 'stay'> {
  const fault = await faultOfFolder(folder);
  if (fault !== '') return refuse(fault);
  try {
    draft.facts = await models.inspect(folder);
  } catch (error) {
    return refuse(asProblem(error).sentence);
  }
  draft.experiment.model = folder;
  return 'next';
}

function refuse(sentence: string): 'stay' {
  void vscode.window.showWarningMessage(sentence);
  return 'stay';
}
