// The server that this window completes with: one at a time, started here or attached to. All that shows it hears of its changes.
import path from 'node:path';
import * as vscode from 'vscode';
import type { Switches } from '../../shared/experiment';
import type { PanelServer } from '../../shared/panelProtocol';
import { presetServing } from '../../shared/presets';
import { originOf } from '../../shared/serverAddress';
import type { ServerGate } from '../../shared/serverProtocol';
import { asProblem, Problem } from '../problem';
import type { Connection } from './connection';
import { ServedProcess } from './servedProcess';

export interface ServeAsked {
  readonly model: string;
  /** "": no speculation. */
  readonly drafter: string;
  readonly switches: Switches;
  /** A file that is not there yet, for the rounds of every request; "": none. */
  readonly capture: string;
}

export interface ServingParts {
  readonly log: vscode.LogOutputChannel;
  /** The module of the server process. */
  readonly modulePath: string;
  readonly settings: () => { readonly library: string; readonly servePort: number; readonly allowInexact: boolean };
  readonly token: () => Promise<string>;
}

export const none: PanelServer = { state: 'none', kind: 'started', model: '', url: '', drafter: '', speculating: null, speculation: '', problem: '' };

export class Serving implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<PanelServer>();
  readonly onDidChange = this.changed.event;
  private now: PanelServer = none;
  private process: ServedProcess | null = null;
  private attached: Connection | null = null;
  /** Of the start that is under way. */
  private starting: AbortController | null = null;
  private asked: ServeAsked | null = null;

  constructor(private readonly its: ServingParts) {}

  get status(): PanelServer {
    return this.now;
  }

  /** What completions go to, null while there is nothing that answers. */
  get connection(): Connection | null {
    return this.now.state === 'ready' ? (this.process?.connection ?? this.attached) : null;
  }

  /** Of the server process, while there is one. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** What was served last, for a start without questions. */
  get last(): ServeAsked | null {
    return this.asked;
  }

  /** Takes the place of what was served before. Rejects with a Problem, which the status tells as well. */
  async start(asked: ServeAsked): Promise<Connection> {
    this.stop();
    const controller = new AbortController();
    this.starting = controller;
    this.asked = asked;
    const names = { model: path.basename(asked.model), drafter: asked.drafter === '' ? '' : path.basename(asked.drafter) };
    this.show({ ...none, ...names, state: 'starting' });
    try {
      const process = await this.fork(asked, controller.signal);
      if (controller.signal.aborted) process.close();
      controller.signal.throwIfAborted();
      this.process = process;
      const { connection, started } = process;
      for (const note of started.notes) this.its.log.warn(note);
      this.update({ state: 'ready', model: connection.model, url: connection.url, ...(started.speculation === null ? { speculating: false, speculation: vscode.l10n.t('There is no drafter.') } : {}) });
      return connection;
    } catch (error) {
      const problem = controller.signal.aborted ? new Problem({ kind: 'cancelled', title: vscode.l10n.t('The start was cancelled'), place: '', action: '' }, { cause: error }) : asProblem(error);
      if (this.starting === controller) this.show({ ...none, ...names, state: 'failed', problem: problem.sentence });
      throw problem;
    } finally {
      if (this.starting === controller) this.starting = null;
    }
  }

  /** Of the run that was started here and answers at `url`, "" for others. */
  tokenOf(url: string): string {
    const connection = this.process?.connection;
    return connection !== undefined && originOf(connection.url) === originOf(url) ? connection.token : '';
  }

  /** The run that was started here stays what it is. */
  attach(connection: Connection): void {
    if (this.process !== null && this.process.connection.url === connection.url) return;
    this.stop();
    this.attached = connection;
    const { model, url, drafter } = connection;
    this.show({ ...none, state: 'ready', kind: 'attached', model, url, drafter: drafter === '' ? '' : path.basename(drafter) });
  }

  stop(): void {
    this.starting?.abort();
    this.starting = null;
    this.process?.close();
    [this.process, this.attached] = [null, null];
    if (this.now.state !== 'none') this.show(none);
  }

  dispose(): void {
    this.stop();
    this.changed.dispose();
  }

  private async fork({ model, drafter, switches, capture }: ServeAsked, signal: AbortSignal): Promise<ServedProcess> {
    const { library, servePort: port, allowInexact: override } = this.its.settings();
    const token = await this.its.token();
    // Another start or a stop may have come while the storage was read.
    signal.throwIfAborted();
    const process: { mine: ServedProcess | null } = { mine: null };
    // What a process tells that has been exchanged counts no more.
    const whileMine = (tell: () => void): void => {
      if (this.process === null || this.process === process.mine) tell();
    };
    const listener = {
      away: (reason: string | null) => whileMine(() => this.update(reason === null ? { state: 'ready', problem: '' } : { state: 'away', problem: reason })),
      gate: (gate: ServerGate) => whileMine(() => this.update(spoken(gate))),
      ended: (how: string) => whileMine(() => this.ended(how)),
    };
    process.mine = await ServedProcess.start(this.its.modulePath, { model, drafter: drafter === '' ? null : drafter, width: null, switches, library, override, port, token, parallel: presetServing.parallel, capture: capture === '' ? null : capture }, { log: this.its.log, listener, signal });
    return process.mine;
  }

  private ended(how: string): void {
    if (this.process === null) return;
    this.process = null;
    this.show({ ...this.now, state: 'failed', problem: vscode.l10n.t('The server process {0}. Start it again.', how) });
  }

  private update(more: Partial<PanelServer>): void {
    this.show({ ...this.now, ...more });
  }

  private show(status: PanelServer): void {
    this.now = status;
    this.its.log.info(`served run: ${[status.state, status.model, status.url, status.problem].filter((word) => word !== '').join(', ')}`);
    this.changed.fire(status);
  }
}

const spoken = ({ engaged, reason, together }: ServerGate): Partial<PanelServer> => ({
  speculating: engaged,
  speculation: engaged ? `Up to ${together} ${together === 1 ? 'request' : 'requests'} together: ${reason}.` : `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`,
});
