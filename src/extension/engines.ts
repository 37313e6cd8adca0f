// Which engine host is in use: the process, or the extension host itself when the setting says so. Nothing is loaded before it is asked for.
import path from 'node:path';
import type * as vscode from 'vscode';
import type { ChildLog } from '../child/rpcChild';
import type { EngineHost } from './engineHost';
import { ProcessEngine } from './processEngine';
import type { Settings } from './settings';

export class Engines {
  private process: EngineHost | undefined;
  private inHost: Promise<EngineHost> | undefined;

  constructor(
    private readonly extensionPath: string,
    private readonly log: vscode.LogOutputChannel,
    private readonly settings: () => Settings,
  ) {}

  /** Process id of the engine while it has a process of its own. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  async current(): Promise<EngineHost> {
    return this.settings().location === 'process' ? (this.process ??= this.newProcess()) : (this.inHost ??= newInHost(this.log));
  }

  dispose(): void {
    this.process?.dispose();
    void this.inHost?.then((engine) => engine.dispose());
  }

  private newProcess(): EngineHost {
    const idleMs = (): number => this.settings().idleMinutes * 60_000;
    return new ProcessEngine(path.join(this.extensionPath, 'dist', 'engineProcess.js'), this.log, { pingMs: 5000, hangMs: 30_000, idleMs });
  }
}

/** The only way in which engine code reaches the extension host. */
async function newInHost(log: ChildLog): Promise<EngineHost> {
  const { InHostEngine } = await import('./inHost.js');
  return new InHostEngine(log);
}
