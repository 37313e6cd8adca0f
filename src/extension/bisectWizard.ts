// Moire: Bisect Block vs Chain, asked step by step. Each step starts with what the user chose last.
import * as vscode from 'vscode';
import type { ModelFacts } from '../shared/engineProtocol';
import { limits, type BisectExperiment } from '../shared/experiment';
import { parseIds, parseInteger, parseWidths, type Parsed } from './experimentText';
import { modelStep, type ModelChoices } from './modelStep';
import { pickStep, runSteps, textStep, type Move, type Place, type Step } from './steps';
import { switchStep } from './switchStep';

/** What is being put together; a step writes its part. */
export interface Draft {
  facts: ModelFacts | undefined;
  readonly experiment: BisectExperiment;
  /** Draws as the settings have them. */
  readonly draws: BisectExperiment['input'];
}

/** `preset`: what the settings say; `last`: what was run last, if anything. */
export async function askForBisect(preset: BisectExperiment, last: BisectExperiment | undefined, models: ModelChoices): Promise<BisectExperiment | undefined> {
  const draft: Draft = { facts: undefined, experiment: structuredClone(last ?? preset), draws: structuredClone(preset.input) };
  const steps: Step[] = [
    (place) => modelStep(place, draft, models),
    (place) => widthsStep(place, draft.experiment),
    (place) => inputStep(place, draft),
    (place) => detailStep(place, draft),
    (place) => promptLengthStep(place, draft),
    (place) => walkStep(place, draft.experiment),
    (place) => switchStep(place, draft),
  ];
  return (await runSteps('Bisect Block vs Chain', steps)) ? draft.experiment : undefined;
}

function widthsStep(place: Place, experiment: BisectExperiment): Promise<Move> {
  return textStep(place, {
    prompt: 'Block widths to compare, separated by commas',
    value: experiment.widths.join(', '),
    check: (text) => faultOf(parseWidths(text)),
    accept: (text) => taken(parseWidths(text), (widths) => (experiment.widths = widths)),
  });
}

interface InputItem extends vscode.QuickPickItem {
  readonly input: BisectExperiment['input'];
}

function inputStep(place: Place, draft: Draft): Promise<Move> {
  const { experiment } = draft;
  return pickStep<InputItem>(place, {
    placeholder: 'Where the tokens come from',
    items: () => inputItems(draft),
    active: (item) => item.input.type === experiment.input.type,
    accept: (item) => {
      if (item.input.type !== experiment.input.type || item.input.type === 'text') experiment.input = item.input;
      return Promise.resolve('next');
    },
  });
}

function inputItems({ facts, experiment: { input }, draws: preset }: Draft): InputItem[] {
  const draws: InputItem = {
    label: 'Synthetic draws',
    detail: 'Ids made by a rule that touches the whole vocabulary; the usual choice',
    input: input.type === 'draws' ? input : preset,
  };
  const ids: InputItem = { label: 'Token ids', detail: 'A list of numbers', input: input.type === 'ids' ? input : { type: 'ids', ids: [] } };
  if (facts?.tokenizer === false) return [draws, ids];
  const text: InputItem = { label: 'Prompt text', detail: 'One line to type; for more, select text in an editor first', input: input.type === 'text' ? input : { type: 'text', text: '' } };
  return [draws, text, ...selectionItem(), ids];
}

function selectionItem(): InputItem[] {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection) ?? '';
  if (editor === undefined || text === '' || text.length > limits.promptChars) return [];
  return [{ label: 'Selection of the active editor', detail: `${text.length} characters of ${vscode.workspace.asRelativePath(editor.document.uri)}`, input: { type: 'text', text } }];
}

function detailStep(place: Place, { facts, experiment }: Draft): Promise<Move> {
  const { input } = experiment;
  switch (input.type) {
    case 'draws':
      return textStep(place, {
        prompt: 'How many draws, each with other ids',
        value: String(input.draws),
        check: (text) => faultOf(parseInteger(text, 1, limits.draws)),
        accept: (text) => taken(parseInteger(text, 1, limits.draws), (draws) => (input.draws = draws)),
      });
    case 'ids':
      return textStep(place, {
        prompt: 'Token ids of the prompt, separated by commas',
        value: input.ids.join(', '),
        check: (text) => faultOf(parseIds(text, facts?.vocab ?? 0)),
        accept: (text) => taken(parseIds(text, facts?.vocab ?? 0), (ids) => (input.ids = ids)),
      });
    case 'text':
      // An input box holds one line; a selection of several is taken as it is.
      if (/[\r\n]/.test(input.text)) return Promise.resolve('skip');
      return textStep(place, {
        prompt: 'Prompt text',
        value: input.text,
        check: (text) => (text === '' ? 'Give at least one character.' : ''),
        accept: (text) => (input.text = text),
      });
  }
}

function promptLengthStep(place: Place, { facts, experiment }: Draft): Promise<Move> {
  const { input, widths } = experiment;
  if (input.type !== 'draws') return Promise.resolve('skip');
  const room = facts === undefined ? limits.promptIds : Math.max(1, Math.min(limits.promptIds, facts.context - Math.max(...widths)));
  return textStep(place, {
    prompt: 'Tokens of each synthetic prompt',
    value: String(input.promptLength),
    check: (text) => faultOf(parseInteger(text, 1, room)),
    accept: (text) => taken(parseInteger(text, 1, room), (length) => (input.promptLength = length)),
  });
}

function walkStep(place: Place, experiment: BisectExperiment): Promise<Move> {
  return textStep(place, {
    prompt: 'Tokens of the long walk that follows the short blocks, 0 for none',
    value: String(experiment.walk),
    check: (text) => faultOf(parseInteger(text, 0, limits.walk)),
    accept: (text) => taken(parseInteger(text, 0, limits.walk), (walk) => (experiment.walk = walk)),
  });
}

function faultOf(parsed: Parsed<unknown>): string {
  return 'fault' in parsed ? parsed.fault : '';
}

function taken<T>(parsed: Parsed<T>, write: (value: T) => void): void {
  if ('value' in parsed) write(parsed.value);
}
