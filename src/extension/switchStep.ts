// The step that shows the engine's own list of switches, each with its value, and ends with a run.
import * as vscode from 'vscode';
import type { SwitchChoice } from '../shared/engineProtocol';
import type { Switches } from '../shared/experiment';
import type { SwitchDraft } from './draft';
import { parseInteger } from './experimentText';
import { pickStep, type Move, type Place } from './steps';

interface SwitchItem extends vscode.QuickPickItem {
  readonly choice?: SwitchChoice;
  readonly run?: boolean;
  readonly reset?: boolean;
}

/** What the switches are for. */
export interface SwitchUse {
  readonly placeholder: string;
  /** What goes on from here. */
  readonly go: string;
  /** Those that differ from the engine's defaults when nobody chooses. */
  readonly preset: Switches;
}

const ofProbe: SwitchUse = { placeholder: vscode.l10n.t('Switches of both arms; choose one to change it'), go: vscode.l10n.t('Run'), preset: {} };

export function switchStep(place: Place, draft: SwitchDraft, use: SwitchUse = ofProbe): Promise<Move> {
  keepKnown(draft);
  return pickStep<SwitchItem>(place, {
    placeholder: use.placeholder,
    items: () => items(draft, use),
    accept: async (item) => {
      if (item.run === true) return 'next';
      if (item.reset === true) draft.experiment.switches = { ...use.preset };
      keepKnown(draft);
      if (item.choice !== undefined) await change(item.choice, draft, use);
      return 'stay';
    },
  });
}

/** Switches that another model or engine had are dropped: the engine would refuse them. */
function keepKnown({ facts, experiment }: SwitchDraft): void {
  const known = facts?.switches ?? [];
  const fits = ([name, value]: [string, string | number]): boolean => known.some((choice) => choice.name === name && offers(choice, value));
  experiment.switches = Object.fromEntries(Object.entries(experiment.switches).filter(fits));
}

function offers({ values, min, max }: SwitchChoice, value: string | number): boolean {
  return values === null ? typeof value === 'number' && value >= min && value <= max : values.some((offered) => offered === value);
}

function items({ facts, experiment: { switches } }: SwitchDraft, { go, preset }: SwitchUse): SwitchItem[] {
  const names = new Set([...Object.keys(switches), ...(facts?.switches ?? []).map(({ name }) => name)]);
  const changed = [...names].some((name) => switches[name] !== preset[name]);
  const choices = (facts?.switches ?? []).map((choice): SwitchItem => {
    const chosen = switches[choice.name];
    const value = chosen === undefined ? `${choice.default} (default)` : String(chosen);
    return { label: choice.name, description: value, detail: choice.description, choice };
  });
  const reset: SwitchItem[] = changed ? [{ label: vscode.l10n.t('$(discard) Back to the defaults'), reset: true, alwaysShow: true }] : [];
  return [{ label: `$(play) ${go}`, run: true, alwaysShow: true }, ...reset, { label: vscode.l10n.t('switches'), kind: vscode.QuickPickItemKind.Separator }, ...choices];
}

async function change(choice: SwitchChoice, { experiment }: SwitchDraft, { preset }: SwitchUse): Promise<void> {
  const chosen = choice.values === null ? await askNumber(choice, experiment.switches[choice.name]) : await askName(choice, choice.values, experiment.switches[choice.name]);
  if (chosen === undefined) return;
  const { [choice.name]: _, ...rest } = experiment.switches;
  // A default of the engine is said where it is not what a run has without a word.
  experiment.switches = chosen === choice.default && !(choice.name in preset) ? rest : { ...rest, [choice.name]: chosen };
}

async function askName(choice: SwitchChoice, values: readonly string[], now: string | number | undefined): Promise<string | undefined> {
  const mark = (value: string): string => [value === choice.default ? 'default' : '', value === (now ?? choice.default) ? 'now' : ''].filter((word) => word !== '').join(', ');
  const picked = await vscode.window.showQuickPick(
    values.map((value) => ({ label: value, description: mark(value) })),
    { title: vscode.l10n.t('Switch {0}', choice.name), placeHolder: choice.description },
  );
  return picked?.label;
}

async function askNumber(choice: SwitchChoice, now: string | number | undefined): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Switch {0}', choice.name),
    prompt: vscode.l10n.t('{0} ({1} to {2}, default {3})', choice.description, choice.min, choice.max, choice.default),
    value: String(now ?? choice.default),
    validateInput: (typed) => {
      const parsed = parseInteger(typed, choice.min, choice.max);
      return 'fault' in parsed ? parsed.fault : undefined;
    },
  });
  if (text === undefined) return undefined;
  const parsed = parseInteger(text, choice.min, choice.max);
  return 'value' in parsed ? parsed.value : undefined;
}
