// What serves: model, drafter, state, address, and whether it speculates with the reason one click away.
import * as l10n from '@vscode/l10n';
import type { PanelServer } from '../../../shared/panelProtocol';
import { button } from '../../controls';
import { code, element, filled, foreign, muted, whenChanged, type Child, type Part } from '../../view/dom';
import { fold } from '../../view/fold';
import { serverWords, speculationInWords, whyInWords } from '../model/words';
import type { State } from '../store';
import { pickers } from './pickers';
import { stateSign } from './signs';
import type { Ui } from './ui';

/** What a state that is not simply "ready" means for the user. */
const help: Readonly<Record<PanelServer['state'], string>> = {
  none: l10n.t('Pick a model folder and start it here, or attach to a server that runs already.'),
  starting: l10n.t('The weights are read, then the exactness gate decides whether drafts may be used. Small models take seconds, large ones minutes.'),
  ready: '',
  away: l10n.t('The engine process ended and is being started again. What ran on it has failed; new runs wait for it.'),
  failed: l10n.t('Mend it and start again, or pick another model.'),
};

function headOf(server: PanelServer): readonly Child[] {
  const { state, model, kind, url, problem } = server;
  return [
    element('div', { class: 'state-line' }, stateSign(state), element('strong', {}, model === '' ? l10n.t('No model is served') : foreign(model)), model !== '' && element('span', { class: 'tag' }, serverWords[state])),
    url !== '' && element('p', { class: 'muted' }, ...(kind === 'attached' ? filled(l10n.t('attached to {0}'), code(url)) : [code(url)])),
    problem !== '' && element('p', { class: 'notice', attributes: { dir: 'auto', translate: 'no' } }, problem),
    help[state] !== '' && element('p', { class: 'empty' }, help[state]),
  ];
}

/** Whether there is speculation to speak of. */
const isServed = ({ state }: PanelServer): boolean => state === 'ready' || state === 'away';

function reason(ui: Ui): Part<State> {
  const sentence = element('p', { attributes: { dir: 'auto' } });
  const drafter = element('p');
  const gate = element('div', { class: 'actions' }, button(l10n.t('Ask the gate…'), () => ui.post({ type: 'askGate' })));
  const body = element('div', {}, sentence, drafter, gate);
  const folded = fold({ name: 'reason', title: l10n.t('Speculation'), open: false }, body, ui.fold);
  return {
    node: folded.node,
    update({ server, sections }) {
      folded.node.hidden = server === null || !isServed(server);
      if (server === null) return;
      folded.update(speculationInWords(server), sections);
      sentence.textContent = whyInWords(server);
      // A reason of the engine.
      sentence.translate = server.speculation === '';
      // Its probe needs the model's files, and there is nothing to ask where nothing drafts.
      gate.hidden = server.kind !== 'started' || server.drafter === '';
      drafter.replaceChildren(...(server.drafter === '' ? [] : [muted(l10n.t('Drafter')), ' ', foreign(server.drafter)]));
    },
  };
}

export function serverView(ui: Ui): Part<State> {
  const head = element('div', { class: 'server-head' });
  const why = reason(ui);
  const pick = pickers(ui);
  const draw = whenChanged<PanelServer>(
    (server) => [server],
    (server) => head.replaceChildren(...headOf(server).filter((child) => child !== null && child !== false)),
  );
  return {
    node: element('section', { class: 'server', attributes: { 'aria-label': l10n.t('Served model') } }, head, why.node, pick.node),
    update(state) {
      if (state.server) draw(state.server);
      why.update(state);
      pick.update(state);
    },
  };
}
