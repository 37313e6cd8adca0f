// Ties host, store and view of a comparison together.
import * as l10n from '@vscode/l10n';
import type { CompareSide, FromCompare, ToCompare } from '../../shared/compareProtocol';
import type { Host } from '../host';
import { errorText, onFailure, reasonOf } from '../page';
import { compareView } from '../view/compare/compareView';
import { recordOf } from '../view/compare/deltaSource';
import { failedScreen, problemScreens } from '../view/compare/problems';
import { loadingScreen } from '../view/screens';
import { createStore, type CompareState, type CompareStore, type Saved } from './store';

export type CompareHost = Host<FromCompare, ToCompare>;

export function startCompareApp(host: CompareHost, root: HTMLElement): void {
  new CompareApp(host, root).start();
}

class CompareApp {
  private readonly store: CompareStore = createStore(
    (state) => this.changed(state),
    (error, action) => this.failed(error, action.type === 'compared' ? action.message : null),
  );
  private readonly view;

  constructor(
    private readonly host: CompareHost,
    private readonly root: HTMLElement,
  ) {
    this.view = compareView(this.store, {
      open: (side) => this.open(side),
      swap: () => host.post({ type: 'swap' }),
      copyRecord: () => this.copyRecord(),
      copy: (text) => host.post({ type: 'copy', text }),
      exported: (file) => host.post({ type: 'export', ...file }),
      // No order comes to this page: its own menu says why.
      notExported: () => undefined,
    });
  }

  start(): void {
    this.root.replaceChildren(loadingScreen(l10n.t('Opening both reports …')));
    onFailure((message) => this.host.post({ type: 'failed', message }));
    this.host.listen((message) => this.store.dispatch({ type: 'compared', message, saved: this.host.saved() }));
    this.host.post({ type: 'ready' });
  }

  private open(side: CompareSide): void {
    this.host.post({ type: 'open', side });
  }

  private copyRecord(): void {
    const state = this.store.state();
    if (state.screen === 'compared') this.host.post({ type: 'copy', text: recordOf(state) });
  }

  private changed(state: CompareState): void {
    if (state.screen === 'loading') return;
    // Also while a file cannot be shown: the page is to come again after the window was loaded anew.
    const saved: Saved = { files: state.message.files, view: state.screen === 'compared' ? state.view : null };
    this.host.save(saved);
    try {
      this.draw(state);
    } catch (error) {
      this.failed(error, state.screen === 'compared' ? state.message : null);
    }
  }

  /** Reports that each passed the host's checks become a problem on screen and a line in the log. `of`: those of a message that has just come; null: those that are shown. */
  private failed(error: unknown, of: ToCompare | null): void {
    this.host.post({ type: 'failed', message: errorText(error) });
    const state = this.store.state();
    const message = of ?? (state.screen === 'compared' ? state.message : null);
    if (message !== null) this.store.dispatch({ type: 'failed', message, reason: reasonOf(error) });
  }

  private draw(state: Exclude<CompareState, { screen: 'loading' }>): void {
    if (state.screen === 'problem') {
      this.root.replaceChildren(problemScreens(state.message, (side) => this.open(side)));
      return;
    }
    if (state.screen === 'failed') {
      this.root.replaceChildren(failedScreen(state.message, state.reason, (side) => this.open(side)));
      return;
    }
    if (!this.view.node.isConnected) this.root.replaceChildren(this.view.node);
    this.view.update(state);
  }
}
