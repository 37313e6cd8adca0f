// Earlier runs, newest first. The host keeps them; what is removed here is removed there.
import type { PanelEntry } from '../../../shared/panelProtocol';
import { plural } from '../../../shared/format';
import { button } from '../../controls';
import { element, whenChanged, type Part } from '../../view/dom';
import { fold } from '../../view/fold';
import { entryInWords, firstLine } from '../model/words';
import type { State } from '../store';
import { stateSign } from './signs';
import type { Ui } from './ui';

function row(entry: PanelEntry, isShown: boolean, ui: Ui): HTMLElement {
  const { id, prompt, state } = entry;
  const line = firstLine(prompt);
  const words = element('span', { class: 'entry-words' }, element('span', { class: 'entry-prompt', attributes: { dir: 'auto' } }, line === '' ? '(no text)' : line), element('span', { class: 'muted' }, entryInWords(entry, Date.now())));
  const show = element('button', { class: 'plain entry', attributes: { type: 'button', title: prompt.slice(0, 400), ...(isShown ? { 'aria-current': 'true' } : {}) } }, stateSign(state), words);
  const remove = element('button', { class: 'plain remove', attributes: { type: 'button', 'aria-label': `Remove the run "${line}"`, title: 'Remove' } }, '×');
  show.addEventListener('click', () => ui.post({ type: 'show', id }));
  remove.addEventListener('click', () => ui.post({ type: 'remove', id }));
  // One that runs is stopped first.
  return element('li', { class: isShown ? 'chosen' : '' }, show, state !== 'running' && remove);
}

/** Drawn again, the list gives the focus back to the same place. */
function redraw(list: HTMLElement, rows: readonly HTMLElement[]): void {
  const index = [...list.children].findIndex((child) => child.contains(document.activeElement));
  const selector = document.activeElement?.classList.contains('remove') ? '.remove' : '.entry';
  list.replaceChildren(...rows);
  if (index >= 0) rows[Math.min(index, rows.length - 1)]?.querySelector<HTMLElement>(selector)?.focus();
}

/** Asks before everything goes, inside of the page. */
function clearing(ui: Ui): Part<State> {
  const say = (asks: boolean) => () => ui.dispatch({ type: 'clearing', clearing: asks });
  const all = button('Clear all', say(true));
  const keep = button('Keep', say(false));
  const question = element('span');
  const remove = button('Remove all', () => {
    ui.post({ type: 'clearHistory' });
    ui.dispatch({ type: 'clearing', clearing: false });
  }, 'primary');
  const ask = element('div', { class: 'actions', attributes: { role: 'group', 'aria-label': 'Clear the history' } }, question, remove, keep);
  const swap = whenChanged<boolean>(
    (asks) => [asks],
    (asks) => {
      const focused = [all, remove, keep].some((one) => one === document.activeElement);
      all.hidden = asks;
      ask.hidden = !asks;
      // The safe answer first.
      if (focused) (asks ? keep : all).focus();
    },
  );
  return {
    node: element('div', { class: 'clearing' }, all, ask),
    update(state) {
      question.textContent = `Remove ${plural(ended(state.history), 'run')}?`;
      swap(state.clearing);
    },
  };
}

const ended = (history: readonly PanelEntry[]): number => history.filter(({ state }) => state !== 'running').length;

export function historyView(ui: Ui): Part<State> {
  const list = element('ul', { class: 'history' });
  const empty = element('p', { class: 'empty' }, 'Runs of this workspace are kept here.');
  const clear = clearing(ui);
  const folded = fold({ name: 'history', title: 'History', open: true }, element('div', {}, empty, list, clear.node), ui.fold);
  const draw = whenChanged<State>(
    ({ history, run }) => [history, run?.id],
    ({ history, run }) => redraw(list, history.map((entry) => row(entry, entry.id === run?.id, ui))),
  );
  return {
    node: folded.node,
    update(state) {
      const none = state.history.length === 0;
      empty.hidden = !none || state.server === null;
      clear.node.hidden = ended(state.history) === 0;
      draw(state);
      clear.update(state);
      folded.update(none ? '' : plural(state.history.length, 'run'), state.sections);
    },
  };
}
