// What the wizard remembers between runs. Stored values may be of an older version, so they are validated like any input.
import type * as vscode from 'vscode';
import { z } from 'zod';
import { BisectExperiment } from '../shared/experiment';

const lastKey = 'bisect.last';
const recentKey = 'models.recent';
const kept = 8;
/** Stored state is for small things; a longer prompt is not remembered. */
const longest = 200_000;

export class Memory {
  constructor(private readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'workspaceState'>) {}

  /** The last experiment of this workspace, else of any. */
  last(): BisectExperiment | undefined {
    for (const state of [this.context.workspaceState, this.context.globalState]) {
      const parsed = BisectExperiment.safeParse(state.get(lastKey));
      if (parsed.success) return parsed.data;
    }
    return undefined;
  }

  recentModels(): readonly string[] {
    const parsed = z.array(z.string()).safeParse(this.context.globalState.get(recentKey));
    return parsed.success ? parsed.data : [];
  }

  async remember(experiment: BisectExperiment): Promise<void> {
    const models = [experiment.model, ...this.recentModels().filter((folder) => folder !== experiment.model)].slice(0, kept);
    await this.context.globalState.update(recentKey, models);
    if (JSON.stringify(experiment).length > longest) return;
    await this.context.globalState.update(lastKey, experiment);
    await this.context.workspaceState.update(lastKey, experiment);
  }
}
