// Which model and drafter to serve, or which server to ask instead.
import * as l10n from '@vscode/l10n';
import type { PanelFolder, PanelServer } from '../../../shared/panelProtocol';
import { button, dropdown, enable, type DropdownOption } from '../../controls';
import { element, whenChanged, type Part } from '../../view/dom';
import { fold } from '../../view/fold';
import type { State } from '../store';
import type { Ui } from './ui';

/** Two folders of one name are told apart by where they lie. */
function folderOptions(folders: readonly PanelFolder[]): readonly DropdownOption[] {
  const isTwice = ({ name }: PanelFolder): boolean => folders.filter((other) => other.name === name).length > 1;
  return folders.map((folder) => ({ value: folder.path, label: isTwice(folder) ? `${folder.name} (${folder.place})` : folder.name, title: folder.place, foreign: true }));
}

const noModel: DropdownOption = { value: '', label: l10n.t('Pick a model'), title: '' };
const noDrafter: DropdownOption = { value: '', label: l10n.t('No drafter'), title: l10n.t('Every token is a step of the model alone') };

interface Picker {
  readonly node: HTMLElement;
  readonly show: (folders: readonly PanelFolder[], value: string) => void;
}

function picker(what: 'model' | 'drafter', none: DropdownOption, ui: Ui): Picker {
  const label = what === 'model' ? l10n.t('Model') : l10n.t('Drafter');
  const list = dropdown(label, (value) => ui.dispatch({ type: 'picked', picked: { [what]: value } }));
  const browse = button(l10n.t('Browse…'), () => ui.post({ type: 'browse', what }));
  browse.setAttribute('aria-label', what === 'model' ? l10n.t('Browse for a model folder') : l10n.t('Browse for a drafter folder'));
  const draw = whenChanged<readonly [readonly PanelFolder[], string]>(
    (shown) => shown,
    ([folders, value]) => list.show([none, ...folderOptions(folders)], value),
  );
  return {
    node: element('div', { class: 'picker' }, element('span', { class: 'muted', attributes: { 'aria-hidden': 'true' } }, label), list.node, browse),
    show: (folders, value) => draw([folders, value]),
  };
}

const isOurs = (server: PanelServer | null): boolean => server?.kind === 'started' && (server.state === 'ready' || server.state === 'away');
const isUp = (server: PanelServer | null): boolean => server !== null && server.state !== 'none' && server.state !== 'failed';

export function pickers(ui: Ui): Part<State> {
  let picked: State['picked'] = { model: '', drafter: '' };
  const model = picker('model', noModel, ui);
  const drafter = picker('drafter', noDrafter, ui);
  const start = button(l10n.t('Start'), () => ui.post({ type: 'serve', ...picked }), 'primary');
  const stop = button(l10n.t('Stop server'), () => ui.post({ type: 'stopServer' }));
  const actions = element('div', { class: 'actions' }, start, stop, button(l10n.t('Attach…'), () => ui.post({ type: 'attach' })));
  const folded = fold({ name: 'pick', title: l10n.t('Model and drafter'), open: true }, element('div', {}, model.node, drafter.node, actions), ui.fold);
  return {
    node: folded.node,
    update(state) {
      const { server, sections } = state;
      picked = state.picked;
      model.show(state.models, picked.model);
      drafter.show(state.drafters, picked.drafter);
      start.textContent = isOurs(server) ? l10n.t('Start again') : l10n.t('Start');
      const starting = server?.state === 'starting';
      enable(start, picked.model !== '' && !starting, starting ? l10n.t('It is being started.') : picked.model === '' ? l10n.t('Pick a model first.') : l10n.t('Serve this model with this drafter'));
      stop.textContent = server?.kind === 'attached' ? l10n.t('Detach') : l10n.t('Stop server');
      stop.hidden = !isUp(server);
      // Open while it is what comes next.
      folded.update('', { ...sections, pick: sections['pick'] ?? !isUp(server) });
    },
  };
}
