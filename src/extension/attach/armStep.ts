// The step that asks for arm B of a server parity: another server, or a model of this machine.
import path from 'node:path';
import * as vscode from 'vscode';
import type { ServersExperiment } from '../../shared/experiment';
import { onlyModels, sampleModels, workspaceModels } from '../modelFolders';
import type { Services } from '../services';
import { pickStep, type Move, type Place } from '../steps';
import { askForServer, askingOf } from './askServer';

interface ArmItem extends vscode.QuickPickItem {
  readonly folder?: string;
  readonly server?: true;
}

export async function askForArm(place: Place, services: Services, experiment: ServersExperiment): Promise<Move> {
  const [recent, workspace, samples] = await Promise.all([onlyModels(services.memory.recentModels()), workspaceModels(), sampleModels(services.extension.path)]);
  const folders = [...new Set([...recent, ...workspace, ...samples])];
  return pickStep<ArmItem>(place, {
    placeholder: vscode.l10n.t('Arm B'),
    items: () => [{ label: vscode.l10n.t('$(globe) Another server'), server: true }, ...folders.map((folder) => ({ label: path.basename(folder), description: path.dirname(folder), detail: vscode.l10n.t('A model of this machine, in the built-in engine'), folder }))],
    accept: async ({ folder, server }) => {
      if (folder !== undefined) experiment.other = { type: 'model', folder, switches: {} };
      const other = server === true ? await askForServer(askingOf(services), vscode.l10n.t('Arm B'), experiment.server.url) : undefined;
      if (server === true && other === undefined) return 'stay';
      if (other !== undefined) experiment.other = { type: 'server', url: other.url, model: other.model };
      return 'next';
    },
  });
}
