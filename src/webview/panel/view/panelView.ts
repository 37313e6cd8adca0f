// The whole panel: one column in a side bar, two or three in a wide place.
import type { PanelServer } from '../../../shared/panelProtocol';
import { element, whenChanged, type Part } from '../../view/dom';
import { announced } from '../model/words';
import type { State } from '../store';
import { figures } from './figures';
import { historyView } from './historyView';
import { promptView } from './promptView';
import { runView } from './runView';
import { serverView } from './serverView';
import type { Ui } from './ui';

const serverSays = (server: PanelServer | null): readonly unknown[] => [server?.state, server?.model];

export function panelView(ui: Ui): Part<State> {
  const server = serverView(ui);
  const prompt = promptView(ui);
  const run = runView(ui, prompt.focus);
  const rates = figures();
  const history = historyView(ui);
  const status = element('div', { class: 'reader-only', attributes: { role: 'status' } });
  const parts: readonly Part<State>[] = [server, prompt, run, rates, history];
  const speak = whenChanged<State>(
    (state) => [...serverSays(state.server), state.run?.id, state.run?.state],
    (state) => (status.textContent = announced(state.server, state.run)),
  );
  return {
    node: element('main', { class: 'panel' }, element('div', { class: 'ask' }, server.node, prompt.node), run.node, element('div', { class: 'aside' }, rates.node, history.node), status, run.card),
    update(state) {
      for (const part of parts) part.update(state);
      speak(state);
    },
  };
}
