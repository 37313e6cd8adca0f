// Moire: Bisect Block vs Chain, asked step by step. Each step starts with what the user chose last.
import { greatest } from '../shared/extremes';
import * as vscode from 'vscode';
import { limits, ranges, type BisectExperiment } from '../shared/experiment';
import type { Draft } from './draft';
import { modelStep, type ModelChoices } from './modelStep';
import { selections } from './selection';
import { pickStep, runSteps, textStep, type Move, type Place, type Step } from './steps';
import { switchStep } from './switchStep';
import { idsStep, numberStep, widthsStep } from './valueSteps';

interface BisectDraft extends Draft<BisectExperiment> {
  /** Draws as the settings have them. */
  readonly draws: BisectExperiment['input'];
}

/** `preset`: what the settings say; `start`: what each step begins with. */
export async function askForBisect(preset: BisectExperiment, start: BisectExperiment, models: ModelChoices): Promise<BisectExperiment | undefined> {
  const draft: BisectDraft = { facts: undefined, experiment: structuredClone(start), draws: structuredClone(preset.input) };
  const steps: Step[] = [
    (place) => modelStep(place, draft, models),
    (place) => widthsStep(place, draft.experiment),
    (place) => inputStep(place, draft),
    (place) => detailStep(place, draft),
    (place) => promptLengthStep(place, draft),
    (place) => numberStep(place, { prompt: vscode.l10n.t('Tokens of the long walk that follows the short blocks, 0 for none'), ...ranges.walk, value: draft.experiment.walk, write: (walk) => (draft.experiment.walk = walk) }),
    (place) => switchStep(place, draft),
  ];
  return (await runSteps(vscode.l10n.t('Bisect Block vs Chain'), steps)) ? draft.experiment : undefined;
}

interface InputItem extends vscode.QuickPickItem {
  readonly input: BisectExperiment['input'];
}

function inputStep(place: Place, draft: BisectDraft): Promise<Move> {
  const { experiment } = draft;
  return pickStep<InputItem>(place, {
    placeholder: vscode.l10n.t('Where the tokens come from'),
    items: () => inputItems(draft),
    active: (item) => item.input.type === experiment.input.type,
    accept: (item) => {
      if (item.input.type !== experiment.input.type || item.input.type === 'text') experiment.input = item.input;
      return Promise.resolve('next');
    },
  });
}

function inputItems({ facts, experiment: { input }, draws: preset }: BisectDraft): InputItem[] {
  const draws: InputItem = {
    label: vscode.l10n.t('Synthetic draws'),
    detail: vscode.l10n.t('Ids made by a rule that touches the whole vocabulary; the usual choice'),
    input: input.type === 'draws' ? input : preset,
  };
  const ids: InputItem = { label: vscode.l10n.t('Token ids'), detail: vscode.l10n.t('A list of numbers'), input: input.type === 'ids' ? input : { type: 'ids', ids: [] } };
  if (facts?.tokenizer === false) return [draws, ids];
  const text: InputItem = { label: vscode.l10n.t('Prompt text'), detail: vscode.l10n.t('One line to type; for more, select text in an editor first'), input: input.type === 'text' ? input : { type: 'text', text: '' } };
  return [draws, text, ...selections().map(({ label, detail, text: selected }): InputItem => ({ label, detail, input: { type: 'text', text: selected } })), ids];
}

function detailStep(place: Place, { facts, experiment }: BisectDraft): Promise<Move> {
  const { input } = experiment;
  switch (input.type) {
    case 'draws':
      return numberStep(place, { prompt: vscode.l10n.t('How many draws, each with other ids'), ...ranges.draws, value: input.draws, write: (draws) => (input.draws = draws) });
    case 'ids':
      return idsStep(place, { prompt: vscode.l10n.t('Token ids of the prompt, separated by commas'), vocab: facts?.vocab ?? 0, value: input.ids, write: (ids) => (input.ids = ids) });
    case 'text':
      // An input box holds one line; a selection of several is taken as it is.
      if (/[\r\n]/.test(input.text)) return Promise.resolve('skip');
      return textStep(place, {
        prompt: vscode.l10n.t('Prompt text'),
        value: input.text,
        check: (text) => (text === '' ? vscode.l10n.t('Give at least one character.') : ''),
        accept: (text) => (input.text = text),
      });
  }
}

function promptLengthStep(place: Place, { facts, experiment }: BisectDraft): Promise<Move> {
  const { input, widths } = experiment;
  if (input.type !== 'draws') return Promise.resolve('skip');
  const room = facts === undefined ? limits.promptIds : Math.max(1, Math.min(limits.promptIds, facts.context - greatest(widths)));
  return numberStep(place, { prompt: vscode.l10n.t('Tokens of each synthetic prompt'), min: 1, max: room, value: input.promptLength, write: (length) => (input.promptLength = length) });
}
