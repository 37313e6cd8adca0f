// Steps that ask for the prompt of a probe.
import * as vscode from 'vscode';
import type { Prompt } from '../shared/experiment';
import { selections } from './selection';
import { pickStep, textStep, type Move, type Place, type Step } from './steps';
import { idsStep } from './valueSteps';

interface PromptItem extends vscode.QuickPickItem {
  readonly prompt: Prompt;
}

interface PromptChoice {
  readonly read: () => Prompt;
  readonly write: (prompt: Prompt) => void;
  readonly vocab: () => number;
  readonly tokenizer: () => boolean;
  /** What runs when no prompt is given. */
  readonly preset: { readonly label: string; readonly detail: string };
}

/** Which prompt, and then its text or ids where they are to be typed. */
export function promptSteps(choice: PromptChoice): Step[] {
  return [(place) => whichStep(place, choice), (place) => detailStep(place, choice)];
}

function whichStep(place: Place, { read, write, tokenizer, preset }: PromptChoice): Promise<Move> {
  const items = (): PromptItem[] => {
    const now = read();
    const built: PromptItem = { ...preset, prompt: { type: 'default' } };
    const ids: PromptItem = { label: vscode.l10n.t('Token ids'), detail: vscode.l10n.t('A list of numbers'), prompt: now.type === 'ids' ? now : { type: 'ids', ids: [] } };
    if (!tokenizer()) return [built, ids];
    const text: PromptItem = { label: vscode.l10n.t('Prompt text'), detail: vscode.l10n.t('One line to type; for more, select text in an editor first'), prompt: now.type === 'text' ? now : { type: 'text', text: '' } };
    return [built, ...selections().map(({ label, detail, text: selected }): PromptItem => ({ label, detail, prompt: { type: 'text', text: selected } })), text, ids];
  };
  return pickStep<PromptItem>(place, {
    placeholder: vscode.l10n.t('Prompt'),
    items,
    active: ({ prompt }) => prompt.type === read().type,
    accept: ({ prompt }) => {
      write(prompt);
      return Promise.resolve('next');
    },
  });
}

function detailStep(place: Place, { read, write, vocab }: PromptChoice): Promise<Move> {
  const now = read();
  if (now.type === 'ids') return idsStep(place, { prompt: vscode.l10n.t('Token ids of the prompt, separated by commas'), vocab: vocab(), value: now.ids, write: (ids) => write({ type: 'ids', ids }) });
  // An input box holds one line; a selection of several is taken as it is.
  if (now.type !== 'text' || /[\r\n]/.test(now.text)) return Promise.resolve('skip');
  return textStep(place, { prompt: vscode.l10n.t('Prompt text'), value: now.text, check: (text) => (text === '' ? vscode.l10n.t('Give at least one character.') : ''), accept: (text) => write({ type: 'text', text }) });
}
