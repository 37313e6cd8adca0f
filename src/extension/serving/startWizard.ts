// Asks what to serve: the model, a drafter or none, and the kernels.
import * as vscode from 'vscode';
import type { ModelFacts } from '../../shared/engineProtocol';
import type { Switches } from '../../shared/experiment';
import { servedKernels } from '../../shared/presets';
import { drafterStep } from '../drafterStep';
import { modelStep, type ModelChoices } from '../modelStep';
import { runSteps } from '../steps';
import { switchStep, type SwitchUse } from '../switchStep';
import type { ServeAsked } from './serving';

export interface ServeChoices extends ModelChoices {
  readonly drafters: readonly string[];
}

const use: SwitchUse = { placeholder: vscode.l10n.t('Kernels and other switches; choose one to change it'), go: vscode.l10n.t('Start'), preset: servedKernels };

interface Draft {
  facts: ModelFacts | undefined;
  readonly experiment: { model: string; drafter: string; switches: Switches };
}

/** Undefined when the user gives up. */
export async function askWhatToServe(last: ServeAsked, choices: ServeChoices): Promise<ServeAsked | undefined> {
  const draft: Draft = { facts: undefined, experiment: { ...last, switches: { ...last.switches } } };
  const done = await runSteps(vscode.l10n.t('Start Served Run'), [(place) => modelStep(place, draft, choices), (place) => drafterStep(place, draft.experiment, choices.drafters, vscode.l10n.t('No drafter: single steps')), (place) => switchStep(place, draft, use)]);
  return done ? { ...draft.experiment, capture: last.capture } : undefined;
}
