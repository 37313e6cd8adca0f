// Ties host, store and view of the panel together. Messages change the state at once, the page follows once a frame.
import * as l10n from '@vscode/l10n';
import type { FromPanel, ToPanel } from '../../shared/panelProtocol';
import { createStore } from '../createStore';
import type { Host } from '../host';
import { errorText, onFailure, reasonOf } from '../page';
import { element, filled, foreign } from '../view/dom';
import { reduce, savedOf, startOf, type Action, type State } from './store';
import { panelView } from './view/panelView';

const saveAfterMs = 150;

export type PanelHost = Host<FromPanel, ToPanel>;

export function startPanel(host: PanelHost, root: HTMLElement): void {
  const failed = (message: string): void => host.post({ type: 'failed', message });
  onFailure(failed);
  const notice = element('p', { class: 'notice', attributes: { role: 'alert' } });
  notice.hidden = true;
  /** What is shown is not what the host told last, and says so until it is. */
  const stopped = (error: unknown): void => {
    failed(errorText(error));
    notice.replaceChildren(...filled(l10n.t('What came last cannot be drawn, so what stands here may be old: {0}'), foreign(reasonOf(error))));
    notice.hidden = false;
  };
  let frame = 0;
  let saving: ReturnType<typeof setTimeout> | undefined;
  const store = createStore<State, Action>(startOf(host.saved()), reduce, () => {
    frame ||= requestAnimationFrame(draw);
    saving ??= setTimeout(save, saveAfterMs);
  }, stopped);
  let { page } = store.state().scroll;
  const { node, update } = panelView({ state: store.state, post: (message) => host.post(message), dispatch: store.dispatch, fold: (name, open) => store.dispatch({ type: 'section', name, open }) });

  function draw(): void {
    frame = 0;
    try {
      update(store.state());
      notice.hidden = true;
    } catch (error) {
      stopped(error);
    }
    returnTo();
  }
  /** Where the page was scrolled to, which it can only reach when the host has told enough to fill it. */
  function returnTo(): void {
    if (page === 0) return;
    node.scrollTop = page;
    if (node.scrollTop >= page) page = 0;
  }
  function save(): void {
    clearTimeout(saving);
    saving = undefined;
    host.save(savedOf(store.state()));
  }

  node.prepend(notice);
  root.append(node);
  draw();
  for (const moved of ['wheel', 'keydown', 'pointerdown']) window.addEventListener(moved, () => (page = 0), { passive: true });
  node.addEventListener('scroll', () => {
    if (page === 0) store.dispatch({ type: 'scrolled', scroll: { page: Math.round(node.scrollTop) } });
  }, { passive: true });
  window.addEventListener('pagehide', save);
  host.listen((message) => store.dispatch({ type: 'told', message }));
  host.post({ type: 'ready' });
}
