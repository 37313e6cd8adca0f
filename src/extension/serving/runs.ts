// Completions of the panel: the one that runs, what of it was told already, and its place in the history.
import { append } from '../../shared/append';
import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import type { PanelEntry, PanelOptions, PanelRates, PanelRun, PanelToken, ToPanel } from '../../shared/panelProtocol';
import { asProblem, Problem } from '../problem';
import { captureOf, complete, declinedOf, type Piece } from './completion';
import { entryOf, type History } from './history';
import { Rates } from './rates';
import type { Serving } from './serving';

/** Tokens that come within this time are told together. */
const togetherMs = 40;

interface Running {
  readonly run: PanelRun;
  readonly stop: AbortController;
  readonly rates: Rates;
  readonly tokens: PanelToken[];
  text: string;
  /** Not told yet. */
  fresh: { text: string; tokens: PanelToken[] };
  timer: NodeJS.Timeout | undefined;
}

export class Runs {
  private running: Running | null = null;
  /** Id of what the panel shows, null for nothing. */
  private shown: string | null;

  constructor(
    private readonly serving: Pick<Serving, 'connection' | 'status'>,
    private readonly history: History,
    private readonly tell: (message: ToPanel) => void,
    /** Hears of the rates while tokens come. */
    private readonly onRates: (rates: PanelRates) => void,
    private readonly onProblem: (problem: Problem) => void,
  ) {
    this.shown = history.latest?.id ?? null;
  }

  /** What the panel shows, as it is now. */
  get current(): PanelRun | null {
    return this.shown === null ? null : (this.find(this.shown) ?? null);
  }

  /** Newest first, the one that runs before all. */
  get entries(): PanelEntry[] {
    return [...(this.running === null ? [] : [entryOf(snapshot(this.running))]), ...this.history.entries];
  }

  find(id: string): PanelRun | undefined {
    return this.running?.run.id === id ? snapshot(this.running) : this.history.find(id);
  }

  /** Resolves with the run when it has ended, however it did. Rejects only where nothing could be started. */
  async complete(prompt: string, options: PanelOptions): Promise<PanelRun> {
    const { connection } = this.serving;
    if (connection === null) throw new Problem({ kind: 'input', title: l10n.t('There is no server that answers'), place: '', action: l10n.t('Start a served run first') });
    if (prompt === '') throw new Problem({ kind: 'input', title: l10n.t('The prompt is empty'), place: '', action: l10n.t('Write something, or use the selection') });
    this.running?.stop.abort();
    const { drafter } = this.serving.status;
    const rates = new Rates(options.speculation ? connection.width : 0);
    const run: PanelRun = { id: randomUUID(), state: 'running', startedAt: Date.now(), model: connection.model, drafter, prompt, chat: options.chat, text: '', tokens: [], rates: rates.now(), declined: '', end: '', captured: false };
    const running: Running = { run, stop: new AbortController(), rates, tokens: [], text: '', fresh: { text: '', tokens: [] }, timer: undefined };
    [this.running, this.shown] = [running, run.id];
    this.tell({ type: 'run', run });
    this.historyChanged();
    try {
      const end = await complete(connection, { ...options, prompt, suffix: '', stop: [], edited: false, details: true }, (piece) => this.add(running, piece), running.stop.signal);
      const state = end.reason === 'stopped' ? 'stopped' : 'done';
      return await this.finish(running, { state, end: end.reason, declined: declinedOf(end), rates: rates.atEnd(end.usage) }, captureOf(end));
    } catch (error) {
      return await this.finish(running, { state: 'failed', end: asProblem(error).sentence }, null);
    }
  }

  /** `id` missing: whatever runs. */
  stop(id?: string): void {
    if (id === undefined || this.running?.run.id === id) this.running?.stop.abort();
  }

  show(id: string): void {
    this.shown = id;
    this.tellShown();
  }

  /** What the panel shows, whole. Tokens that were not told yet are in it, so they are not told again. */
  tellShown(): void {
    if (this.running !== null) this.flush(this.running);
    this.tell({ type: 'run', run: this.current });
  }

  async remove(id: string): Promise<void> {
    await this.history.remove(id);
    this.removed();
  }

  async clear(): Promise<void> {
    await this.history.clear();
    this.removed();
  }

  /** In place of a run that is gone the newest is shown. */
  private removed(): void {
    this.historyChanged();
    if (this.current !== null) return;
    this.shown = this.entries[0]?.id ?? null;
    this.tellShown();
  }

  private historyChanged(): void {
    this.tell({ type: 'history', entries: this.entries });
  }

  private add(running: Running, { text, tokens }: Piece): void {
    running.rates.add({ text, tokens });
    running.text += text;
    append(running.tokens, tokens);
    running.fresh.text += text;
    append(running.fresh.tokens, tokens);
    running.timer ??= setTimeout(() => this.flush(running), togetherMs);
  }

  private flush(running: Running): void {
    clearTimeout(running.timer);
    running.timer = undefined;
    const { fresh, rates, run } = running;
    if (this.running !== running || fresh.tokens.length + fresh.text.length === 0) return;
    running.fresh = { text: '', tokens: [] };
    this.onRates(rates.now());
    this.tell({ type: 'tokens', id: run.id, ...fresh, rates: rates.now() });
  }

  private async finish(running: Running, how: Partial<PanelRun>, capture: string | null): Promise<PanelRun> {
    clearTimeout(running.timer);
    const mine = this.running === running;
    const { run, refused } = await this.history.add({ ...snapshot(running), ...how }, capture);
    if (refused !== null) this.onProblem(refused);
    if (mine) {
      this.running = null;
      this.onRates(run.rates);
    }
    // Whoever looks at an older run goes on looking at it.
    if (this.shown === run.id) this.tell({ type: 'run', run });
    this.historyChanged();
    return run;
  }
}

const snapshot = ({ run, text, tokens, rates }: Running): PanelRun => ({ ...run, text, tokens: [...tokens], rates: rates.now() });
