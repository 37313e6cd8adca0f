// Models and drafters that can be chosen: used before, in the open folders, among the samples, or browsed for.
import path from 'node:path';
import * as vscode from 'vscode';
import type { PanelFolder, ToPanel } from '../../shared/panelProtocol';
import { faultOfFolder, knownDrafters, onlyModels, sampleModels, workspaceModels } from '../modelFolders';
import { Problem } from '../problem';
import { serveMemory, type ServeMemory } from './serveMemory';

export type Known = Omit<Extract<ToPanel, { type: 'folders' }>, 'type'>;

export class Folders {
  private readonly changed = new vscode.EventEmitter<Known>();
  readonly onDidChange = this.changed.event;
  private readonly browsed: { model: string[]; drafter: string[] } = { model: [], drafter: [] };

  constructor(
    private readonly extensionPath: string,
    private readonly state: vscode.Memento,
    private readonly recent: () => readonly string[],
  ) {}

  async known(): Promise<Known> {
    const [recent, open, samples, near] = await Promise.all([onlyModels(this.recent()), workspaceModels(), sampleModels(this.extensionPath), knownDrafters(this.extensionPath)]);
    const last = serveMemory(this.state).read();
    const models = listed([...this.browsed.model, ...recent, ...open, ...samples]);
    return { models, drafters: listed([...this.browsed.drafter, ...near]), model: last?.model ?? models[0]?.path ?? '', drafter: last?.drafter ?? '' };
  }

  async remember(asked: ServeMemory): Promise<void> {
    await serveMemory(this.state).write(asked);
    this.changed.fire(await this.known());
  }

  /** Asks for a folder and puts it first, chosen. */
  async browse(what: 'model' | 'drafter'): Promise<void> {
    const chosen = await vscode.window.showOpenDialog({ title: what === 'model' ? vscode.l10n.t('Model folder') : vscode.l10n.t('Drafter folder'), openLabel: vscode.l10n.t('Choose'), canSelectFiles: false, canSelectFolders: true });
    const folder = chosen?.[0]?.fsPath;
    if (folder === undefined) return;
    const fault = what === 'model' ? await faultOfFolder(folder) : '';
    if (fault !== '') throw new Problem({ kind: 'input', title: fault, place: '', action: '' });
    this.browsed[what].unshift(folder);
    const known = await this.known();
    this.changed.fire({ ...known, [what]: folder });
  }
}

const listed = (folders: readonly string[]): PanelFolder[] => [...new Set(folders)].map((folder) => ({ path: folder, name: path.basename(folder), place: path.dirname(folder) }));
