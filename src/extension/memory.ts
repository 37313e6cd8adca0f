// What the wizard remembers between runs. Stored values may be of an older version, so they are validated like any input.
import type * as vscode from 'vscode';
import { z } from 'zod';
import { Experiment, type ModelExperiment } from '../shared/experiment';
import { ServerUrl } from '../shared/serverAddress';

const lastKey = (kind: ModelExperiment['kind']): string => `${kind}.last`;
const lastModelKey = 'models.last';
const recentKey = 'models.recent';
const serversKey = 'servers.recent';
const logsKey = 'logs.recent';
const kept = 8;
/** Stored state is for small things; a longer prompt is not remembered. */
const longest = 200_000;

export class Memory {
  constructor(
    private readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'workspaceState'>,
    /** Hears of what is remembered anew. */
    private readonly changed: (what: 'models' | 'servers' | 'captures') => void,
  ) {}

  /** The last experiment of this kind in this workspace, else in any. */
  last<K extends ModelExperiment['kind']>(kind: K): Extract<ModelExperiment, { kind: K }> | undefined {
    for (const state of [this.context.workspaceState, this.context.globalState]) {
      const parsed = Experiment.safeParse(state.get(lastKey(kind)));
      if (parsed.success && parsed.data.kind === kind) return parsed.data as Extract<ModelExperiment, { kind: K }>;
    }
    return undefined;
  }

  /** The model that ran last, whatever ran on it. */
  lastModel(): string | undefined {
    const parsed = z.string().safeParse(this.context.workspaceState.get(lastModelKey));
    return parsed.success ? parsed.data : this.recentModels()[0];
  }

  recentModels(): readonly string[] {
    const parsed = z.array(z.string()).safeParse(this.context.globalState.get(recentKey));
    return parsed.success ? parsed.data : [];
  }

  /** Addresses of servers, latest first; never a token. */
  recentServers(): readonly string[] {
    const parsed = z.array(ServerUrl).safeParse(this.context.globalState.get(serversKey));
    return parsed.success ? parsed.data : [];
  }

  /** Paths of accept logs that were opened in this workspace, latest first. */
  recentLogs(): readonly string[] {
    const parsed = z.array(z.string().min(1)).safeParse(this.context.workspaceState.get(logsKey));
    return parsed.success ? parsed.data : [];
  }

  async rememberLog(file: string): Promise<void> {
    await this.context.workspaceState.update(logsKey, latest(file, this.recentLogs()));
    this.changed('captures');
  }

  async rememberServer(url: string): Promise<void> {
    await this.context.globalState.update(serversKey, latest(url, this.recentServers()));
    this.changed('servers');
  }

  async rememberModel(folder: string): Promise<void> {
    await this.context.globalState.update(recentKey, latest(folder, this.recentModels()));
    this.changed('models');
  }

  async remember(experiment: ModelExperiment): Promise<void> {
    await this.rememberModel(experiment.model);
    await this.context.workspaceState.update(lastModelKey, experiment.model);
    if (JSON.stringify(experiment).length > longest) return;
    await this.context.globalState.update(lastKey(experiment.kind), experiment);
    await this.context.workspaceState.update(lastKey(experiment.kind), experiment);
  }
}

const latest = (one: string, others: readonly string[]): string[] => [one, ...others.filter((other) => other !== one)].slice(0, kept);
