// Earlier runs, newest first. The host keeps them; what is removed here is removed there.
import * as l10n from '@vscode/l10n';
import type { PanelEntry } from '../../../shared/panelProtocol';
import { button } from '../../controls';
import { amount } from '../../model/amount';
import { element, foreign, whenChanged, type Part } from '../../view/dom';
import { fold } from '../../view/fold';
import { entryInWords, firstLine, whenInWords } from '../model/words';
import type { State } from '../store';
import { stateSign } from './signs';
import type { Ui } from './ui';

function row(entry: PanelEntry, isShown: boolean, ui: Ui): HTMLElement {
  const { id, prompt, state, startedAt, model } = entry;
  const line = firstLine(prompt);
  const words = element('span', { class: 'entry-words' }, element('span', { class: 'entry-prompt', attributes: { dir: 'auto', ...(line === '' ? {} : { title: prompt.slice(0, 400), translate: 'no' }) } }, line === '' ? l10n.t('(no text)') : line), element('span', { class: 'muted' }, foreign(whenInWords(startedAt, Date.now())), ' · ', entryInWords(entry), model !== '' && ' · ', model !== '' && foreign(model)));
  const show = element('button', { class: 'plain entry', attributes: { type: 'button', ...(isShown ? { 'aria-current': 'true' } : {}) } }, stateSign(state), words);
  const remove = element('button', { class: 'plain remove', attributes: { type: 'button', 'aria-label': l10n.t('Remove the run "{0}"', line), title: l10n.t('Remove') } }, '×');
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
  const all = button(l10n.t('Clear all'), say(true));
  const keep = button(l10n.t('Keep'), say(false));
  const question = element('span');
  const remove = button(l10n.t('Remove all'), () => {
    ui.post({ type: 'clearHistory' });
    ui.dispatch({ type: 'clearing', clearing: false });
  }, 'primary');
  const ask = element('div', { class: 'actions', attributes: { role: 'group', 'aria-label': l10n.t('Clear the history') } }, question, remove, keep);
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
      question.textContent = amount(ended(state.history), l10n.t('Remove {0} run?'), l10n.t('Remove {0} runs?'));
      swap(state.clearing);
    },
  };
}

const ended = (history: readonly PanelEntry[]): number => history.filter(({ state }) => state !== 'running').length;

export function historyView(ui: Ui): Part<State> {
  const list = element('ul', { class: 'history' });
  const empty = element('p', { class: 'empty' }, l10n.t('Runs of this workspace are kept here.'));
  const clear = clearing(ui);
  const folded = fold({ name: 'history', title: l10n.t('History'), open: true }, element('div', {}, empty, list, clear.node), ui.fold);
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
      folded.update(none ? '' : amount(state.history.length, l10n.t('{0} run'), l10n.t('{0} runs')), state.sections);
    },
  };
}
