// The prompt box, its button and its options.
import * as l10n from '@vscode/l10n';
import { button, checkbox, enable, textArea, textField } from '../../controls';
import { element, type Part } from '../../view/dom';
import { fold } from '../../view/fold';
import { optionsInWords, optionsOf } from '../model/boxes';
import { isBusy, type State } from '../store';
import type { Ui } from './ui';

const keys = navigator.userAgent.includes('Mac') ? l10n.t('⌘Enter') : l10n.t('Ctrl+Enter');

/** What keeps every run from starting, "" for nothing. */
function obstacle({ server, boxes }: State): string {
  const options = optionsOf(boxes);
  if (typeof options === 'string') return options;
  if (server === null || server.state === 'none') return l10n.t('Start a model or attach to a server first.');
  if (server.state === 'failed') return l10n.t('The server failed; start it again.');
  if (server.state === 'starting') return l10n.t('The model is being loaded.');
  return server.state === 'away' ? l10n.t('The engine is being started again.') : '';
}

/** Why this run cannot start now, "" when it can. */
function notYet(state: State): string {
  if (isBusy(state)) return l10n.t('A run goes on.');
  return obstacle(state) || (state.prompt === '' ? l10n.t('Write a prompt, or use the selection.') : '');
}

function optionBoxes(ui: Ui): Part<State> {
  const maxTokens = textField({ label: l10n.t('Max. tokens'), placeholder: '256' }, (text) => ui.dispatch({ type: 'boxes', boxes: { maxTokens: text } }));
  const temperature = textField({ label: l10n.t('Temperature'), placeholder: l10n.t('0: greedy') }, (text) => ui.dispatch({ type: 'boxes', boxes: { temperature: text } }));
  const chat = checkbox(l10n.t('Chat'), (checked) => ui.dispatch({ type: 'boxes', boxes: { chat: checked } }));
  const speculation = checkbox(l10n.t('Speculation'), (checked) => ui.dispatch({ type: 'boxes', boxes: { speculation: checked } }));
  const cache = checkbox(l10n.t('Prefix cache'), (checked) => ui.dispatch({ type: 'boxes', boxes: { cache: checked } }));
  chat.node.title = l10n.t('Send the prompt as a message of a chat, in the template of the model');
  speculation.node.title = l10n.t('Let the drafter propose tokens, where the exactness gate allows it');
  cache.node.title = l10n.t('Begin from the longest prefix that an earlier request left; this is another partition of the prompt');
  const fields = element('div', { class: 'fields' }, maxTokens.node, temperature.node);
  const folded = fold({ name: 'options', title: l10n.t('Options'), open: false }, element('div', {}, fields, element('div', { class: 'checks' }, chat.node, speculation.node, cache.node)), ui.fold);
  return {
    node: folded.node,
    update({ boxes, sections }) {
      maxTokens.show(boxes.maxTokens);
      temperature.show(boxes.temperature);
      chat.show(boxes.chat);
      speculation.show(boxes.speculation);
      cache.show(boxes.cache);
      folded.update(optionsInWords(optionsOf(boxes)), sections);
    },
  };
}

export interface PromptView extends Part<State> {
  readonly focus: () => void;
}

export function promptView(ui: Ui): PromptView {
  const complete = (): void => {
    const state = ui.state();
    if (notYet(state) !== '') return;
    const options = optionsOf(state.boxes);
    if (typeof options !== 'string') ui.post({ type: 'complete', prompt: state.prompt, options });
  };
  const prompt = textArea({ label: l10n.t('Prompt'), placeholder: l10n.t('Prompt ({0} runs it)', keys), hideLabel: true }, (text) => ui.dispatch({ type: 'prompt', prompt: text }));
  prompt.node.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    complete();
  });
  const run = button(l10n.t('Run'), complete, 'primary');
  const note = element('p', { class: 'muted run-note' });
  const options = optionBoxes(ui);
  const actions = element('div', { class: 'actions' }, run, button(l10n.t('Use selection'), () => ui.post({ type: 'useSelection' })));
  return {
    node: element('section', { class: 'prompt', attributes: { 'aria-label': l10n.t('Prompt') } }, prompt.node, actions, note, options.node),
    focus: () => prompt.node.focus(),
    update(next) {
      const why = notYet(next);
      prompt.show(next.prompt);
      enable(run, why === '', why === '' ? keys : why);
      note.textContent = obstacle(next);
      note.hidden = note.textContent === '';
      options.update(next);
    },
  };
}
