// The run that is shown: how it stands, its text, and what to do with it.
import * as l10n from '@vscode/l10n';
import type { PanelRun } from '../../../shared/panelProtocol';
import { button, enable } from '../../controls';
import { element, foreign, whenChanged, type Child, type Part } from '../../view/dom';
import { fold } from '../../view/fold';
import { firstLine, stateInWords } from '../model/words';
import type { State } from '../store';
import { originLegend } from './originLegend';
import { stateSign } from './signs';
import { tokenText } from './tokenText';
import type { Ui } from './ui';

/** `served`: the model of today, which needs no second mention. */
function headOf(run: PanelRun, served: string | undefined): readonly Child[] {
  const model = run.model === served ? '' : run.model;
  const by = [...(model === '' ? [] : [foreign(model)]), model !== '' && run.chat && ' · ', run.chat && l10n.t('chat')];
  return [
    element('div', { class: 'state-line' }, stateSign(run.state), element('strong', {}, stateInWords(run)), (model !== '' || run.chat) && element('span', { class: 'muted' }, ...by)),
    run.state === 'failed' && run.end !== '' && element('p', { class: 'notice', attributes: { dir: 'auto', translate: 'no' } }, run.end),
  ];
}

interface RunAction {
  readonly type: 'insert' | 'replace' | 'copy' | 'capture' | 'inspect';
  readonly label: string;
  readonly title: string;
}

const actionList: readonly RunAction[] = [
  { type: 'insert', label: l10n.t('Insert'), title: l10n.t('Insert the text at the cursor of the editor') },
  { type: 'replace', label: l10n.t('Replace'), title: l10n.t('Replace the selection of the editor by the text') },
  { type: 'copy', label: l10n.t('Copy'), title: l10n.t('Copy the text') },
  { type: 'capture', label: l10n.t('Capture'), title: l10n.t('Save the rounds of this run as an accept log') },
  { type: 'inspect', label: l10n.t('Inspect'), title: l10n.t('Open the rounds of this run as a timeline') },
];

/** Why an action is not to be had, "" when it is. */
function missing(type: RunAction['type'], { state, text, captured }: PanelRun): string {
  if (state === 'running') return l10n.t('The run has not ended.');
  if (type === 'capture' || type === 'inspect') return captured ? '' : l10n.t('No rounds were kept of this run.');
  return text === '' ? l10n.t('There is no text.') : '';
}

function actions(ui: Ui, leave: () => void): Part<PanelRun> {
  let id = '';
  const stop = button(l10n.t('Stop'), () => ui.post({ type: 'stop', id }), 'primary');
  const others = actionList.map((action) => ({ ...action, node: button(action.label, () => ui.post({ type: action.type, id })) }));
  return {
    node: element('div', { class: 'actions' }, stop, ...others.map(({ node }) => node)),
    update(run) {
      id = run.id;
      const gone = run.state !== 'running';
      const focused = document.activeElement === stop;
      stop.hidden = gone;
      if (gone && focused) leave();
      for (const { type, title, node } of others) {
        const why = missing(type, run);
        enable(node, why === '', why === '' ? title : why);
      }
    },
  };
}

export interface RunView extends Part<State> {
  readonly card: HTMLElement;
}

/** `leave`: where the focus goes when the button that had it is gone. */
export function runView(ui: Ui, leave: () => void): RunView {
  const head = element('div', { class: 'run-head' });
  const asked = element('pre', { class: 'asked', attributes: { dir: 'auto' } });
  const prompt = fold({ name: 'asked', title: l10n.t('Prompt'), open: false, foreign: 'note' }, element('div', {}, asked), ui.fold);
  const why = element('p', { attributes: { dir: 'auto', translate: 'no' } });
  const declined = fold({ name: 'declined', title: l10n.t('No speculation'), open: false, foreign: 'note' }, element('div', {}, why), ui.fold);
  const text = tokenText(ui);
  const legend = originLegend();
  const buttons = actions(ui, leave);
  const empty = element('p', { class: 'empty' }, l10n.t('No run yet. Write a prompt and run it: the text comes here, every token underlined by where it came from.'));
  const body = element('div', { class: 'run-body' }, head, declined.node, prompt.node, text.node, legend.node, buttons.node);
  const drawHead = whenChanged<readonly [run: PanelRun, served: string | undefined]>(
    ([{ id, state, end, model }, served]) => [id, state, end, model, served],
    ([run, served]) => head.replaceChildren(...headOf(run, served).filter((child) => child !== null && child !== false)),
  );
  const drawTexts = whenChanged<PanelRun>(
    ({ prompt: sent, declined }) => [sent, declined],
    (run) => [asked.textContent, why.textContent] = [run.prompt, run.declined],
  );
  return {
    node: element('section', { class: 'run', attributes: { 'aria-label': l10n.t('Run') } }, empty, body),
    card: text.card,
    update(state) {
      const { run } = state;
      // Before the host has told of anything it is not known whether there is a run.
      empty.hidden = run !== null || state.server === null;
      body.hidden = run === null;
      text.node.hidden = run !== null && run.text === '' && run.state !== 'running';
      text.update(state);
      if (run === null) return;
      drawHead([run, state.server?.model]);
      drawTexts(run);
      declined.node.hidden = run.declined === '';
      declined.update(run.declined, state.sections);
      prompt.node.hidden = run.prompt === state.prompt;
      prompt.update(firstLine(run.prompt), state.sections);
      legend.update(state);
      buttons.update(run);
    },
  };
}
