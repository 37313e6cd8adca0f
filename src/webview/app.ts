// Ties host, store and views together: messages in, one state, views out, and what is looked at back to the host.
import * as l10n from '@vscode/l10n';
import type { ExportOrder, FromView, ToView } from '../shared/viewProtocol';
import { ElementLoads } from './elementLoads';
import type { Host } from './host';
import { errorText, onFailure, reasonOf } from './page';
import { createStore, reportKey, type Action, type ReportState, type Saved, type State, type Store } from './store';
import { loadingScreen, problemScreen, runningScreen } from './view/screens';
import { reportView, type ReportEvents, type ReportView } from './view/reportView';

const saveAfterMs = 150;

export type ReportHost = Host<FromView, ToView | ExportOrder>;

export function startApp(host: ReportHost, root: HTMLElement): void {
  const app = new App(host, root);
  app.start();
}

class App {
  private readonly store: Store;
  private readonly loads: ElementLoads;
  private shown: { readonly key: string; readonly part: ReportView } | null = null;
  private waiting: ReturnType<typeof runningScreen> | null = null;
  private saving: ReturnType<typeof setTimeout> | undefined;
  private readonly events: ReportEvents = {
    runAgain: () => this.host.post({ type: 'runAgain' }),
    cancelRun: () => this.host.post({ type: 'cancelRun' }),
    comparePrefills: () => this.host.post({ type: 'comparePrefills' }),
    compare: () => this.host.post({ type: 'compare' }),
    copy: (text) => this.host.post({ type: 'copy', text }),
    openAsText: () => this.host.post({ type: 'openAsText' }),
    exported: (file, order) => this.host.post({ type: 'export', ...file, order }),
    notExported: (order, reason) => this.host.post({ type: 'notExported', order, reason }),
  };

  constructor(
    private readonly host: ReportHost,
    private readonly root: HTMLElement,
  ) {
    this.loads = new ElementLoads((message) => this.host.post(message));
    this.store = createStore((state, before) => this.changed(state, before), (error, action) => this.stopped(error, action));
  }

  start(): void {
    this.root.replaceChildren(loadingScreen());
    onFailure((message) => this.host.post({ type: 'failed', message }));
    window.addEventListener('scroll', () => this.store.dispatch({ type: 'scrolled', scroll: Math.round(window.scrollY) }), { passive: true });
    window.addEventListener('pagehide', () => this.save());
    this.host.listen((message) => this.take(message));
    this.host.post({ type: 'ready' });
  }

  private take(message: ToView | ExportOrder): void {
    switch (message.type) {
      case 'canLoad':
      case 'loading':
      case 'elements':
      case 'notLoaded':
        return this.loads.take(message);
      case 'report':
        this.loads.reset();
        return this.store.dispatch({ ...message, type: 'opened', saved: this.host.saved() });
      case 'problem':
        this.loads.reset();
        return this.store.dispatch({ type: 'problem', problem: message });
      case 'export':
        return this.follow(message);
      default:
        this.store.dispatch(message);
    }
  }

  private follow({ format, order }: ExportOrder): void {
    if (this.shown !== null) this.shown.part.exportAs(format, order);
    else this.host.post({ type: 'notExported', order, reason: l10n.t('No report is shown.') });
  }

  private changed(state: State, before: State): void {
    try {
      this.draw(state);
    } catch (error) {
      this.failed(error, state.screen === 'loading' || state.screen === 'problem' ? null : state.fileName);
      return;
    }
    if (state.screen !== 'report') return;
    this.saveSoon();
    const selected = before.screen === 'report' ? before.view.selection : null;
    if (state.view.selection !== selected) this.host.post({ type: 'selected', selection: state.view.selection });
  }

  private draw(state: State): void {
    if (state.screen !== 'running') this.waiting = null;
    if (state.screen !== 'report') this.shown = null;
    switch (state.screen) {
      case 'problem':
        this.root.replaceChildren(problemScreen(state.problem, this.events));
        return;
      case 'running':
        this.drawRunning(state);
        return;
      case 'report':
        this.drawReport(state);
        return;
      case 'loading':
    }
  }

  private drawRunning(state: Extract<State, { screen: 'running' }>): void {
    const waiting = (this.waiting ??= runningScreen(this.events.cancelRun));
    waiting.update(state);
    if (waiting.node.parentElement === null) this.root.replaceChildren(waiting.node);
  }

  private drawReport(state: ReportState): void {
    const key = reportKey(state.report, state.fileName);
    const opened = this.shown?.key !== key;
    if (opened) this.open(key, state);
    this.shown?.part.update(state);
    if (opened) window.scrollTo({ top: state.view.scroll, behavior: 'instant' });
  }

  private open(key: string, state: ReportState): void {
    const part = reportView(state.report.kind, this.store, this.loads, this.events);
    this.shown = { key, part };
    this.root.replaceChildren(part.node);
  }

  /** Of a report that is opened its own name counts, for another one may still be shown. */
  private stopped(error: unknown, action: Action): void {
    const state = this.store.state();
    this.failed(error, action.type === 'opened' ? action.fileName : state.screen === 'report' ? state.fileName : null);
  }

  /** A report that passed the host's checks and still cannot be drawn becomes a problem on screen and a line in the log. `fileName` null: no report was to be drawn. */
  private failed(error: unknown, fileName: string | null): void {
    this.host.post({ type: 'failed', message: errorText(error) });
    if (fileName === null) return;
    const problem = { fileName, title: l10n.t('This report cannot be drawn.'), detail: reasonOf(error), action: l10n.t('Open it as text, or run the experiment again.') };
    this.store.dispatch({ type: 'problem', problem });
  }

  private saveSoon(): void {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), saveAfterMs);
  }

  private save(): void {
    clearTimeout(this.saving);
    const state = this.store.state();
    if (state.screen !== 'report') return;
    const saved: Saved = { key: reportKey(state.report, state.fileName), view: state.view };
    this.host.save(saved);
  }
}
