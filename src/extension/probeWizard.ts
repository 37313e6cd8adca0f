// The probes over speculation, asked step by step. Each step starts with what the user chose last.
import * as vscode from 'vscode';
import { fills, limits, ranges, type ModelExperiment, type Prompt } from '../shared/experiment';
import { presetPrompts } from '../shared/presets';
import { probeNames } from '../shared/reportFacts';
import { acceptsSteps } from './acceptsStep';
import type { Draft } from './draft';
import { drafterStep } from './drafterStep';
import { matrixSteps } from './matrixStep';
import { modelStep, type ModelChoices } from './modelStep';
import { promptSteps } from './promptStep';
import { runSteps, type Move, type Place, type Step } from './steps';
import { switchStep } from './switchStep';
import { listStep, numberStep, widthsStep } from './valueSteps';

export type ProbeExperiment = Exclude<ModelExperiment, { kind: 'bisect' }>;

export interface ProbeChoices extends ModelChoices {
  readonly drafters: readonly string[];
}

const builtIn = { label: vscode.l10n.t('Built-in prompt'), detail: vscode.l10n.t('A piece of code of some hundred tokens') } as const;

/** `preset`: what the draft starts with. `settled`: parts of it that are not asked for, though the model always is. Undefined when the user gives up. */
export async function askForProbe<E extends ProbeExperiment>(preset: E, choices: ProbeChoices, settled: ReadonlySet<string> = new Set()): Promise<E | undefined> {
  const draft: Draft<E> = { facts: undefined, experiment: structuredClone(preset) };
  const steps = [(place: Place) => modelStep(place, draft, choices), ...stepsOf(draft, choices, settled)];
  return (await runSteps(probeNames[preset.kind], steps)) ? draft.experiment : undefined;
}

function stepsOf(draft: Draft<ProbeExperiment>, { drafters }: ProbeChoices, settled: ReadonlySet<string>): Step[] {
  const { experiment } = draft;
  const switches = (place: Place): Promise<Move> => (experiment.kind === 'switches' ? Promise.resolve('skip') : switchStep(place, { facts: draft.facts && { ...draft.facts, switches: [...draft.facts.switches, ...draft.facts.burstSwitches] }, experiment }));
  const prompt = (read: () => Prompt, write: (prompt: Prompt) => void, preset: { label: string; detail: string } = builtIn): Step[] =>
    settled.has('prompt') ? [] : promptSteps({ read, write, preset, vocab: () => draft.facts?.vocab ?? 0, tokenizer: () => draft.facts?.tokenizer !== false });
  switch (experiment.kind) {
    case 'prefill':
      return [
        ...prompt(() => experiment.prompt, (one) => (experiment.prompt = one)),
        (place) => listStep(place, { prompt: vscode.l10n.t('Tokens of a forward, separated by commas; 0 for the whole prompt at once'), min: 0, max: limits.promptIds, most: limits.partitions, value: experiment.partitions, write: (sizes) => (experiment.partitions = sizes) }),
        switches,
      ];
    case 'gate':
      return [
        (place) => widthsStep(place, experiment),
        (place) => numberStep(place, { prompt: vscode.l10n.t('Tokens of the long walk, 0 for none'), ...ranges.walk, value: experiment.walk, write: (walk) => (experiment.walk = walk) }),
        switches,
      ];
    case 'parity':
    case 'widths':
      return [
        (place) => drafterStep(place, experiment, drafters),
        (place) => widthsStep(place, experiment),
        ...prompt(() => onePrompt(experiment.prompts), (one) => (experiment.prompts = one.type === 'default' ? severalPrompts(experiment.prompts) : [one]), { label: vscode.l10n.t('Built-in prompts'), detail: vscode.l10n.t('A piece of code and three synthetic prompts') }),
        (place) => numberStep(place, { prompt: vscode.l10n.t('Tokens of each answer'), min: 2, max: limits.tokens, value: experiment.tokens, write: (tokens) => (experiment.tokens = tokens) }),
        (place) => (experiment.kind === 'widths' ? numberStep(place, { prompt: vscode.l10n.t('Times that every arm runs'), min: 1, max: 100, value: experiment.repeats, write: (repeats) => (experiment.repeats = repeats) }) : Promise.resolve('skip')),
        switches,
      ];
    case 'replay':
      return [...acceptsSteps(experiment, settled.has('accepts')), ...prompt(() => experiment.prompt, (one) => (experiment.prompt = one)), (place) => fillsStep(place, experiment), switches];
    case 'rewind':
      return [
        ...acceptsSteps(experiment, settled.has('accepts')),
        ...prompt(() => experiment.prompt, (one) => (experiment.prompt = one)),
        (place) => (experiment.accepts.type === 'log' ? Promise.resolve('skip') : numberStep(place, { prompt: vscode.l10n.t('Batch rows that keep different counts'), min: 1, max: limits.batch, value: experiment.batch, write: (batch) => (experiment.batch = batch) })),
        switches,
      ];
    case 'switches':
      return matrixSteps({ get facts() { return draft.facts; }, experiment });
  }
}

const onePrompt = (prompts: readonly Prompt[]): Prompt => (prompts.length === 1 ? (prompts[0] ?? { type: 'default' }) : { type: 'default' });

/** The built-in set, unless that is what there is. */
function severalPrompts(now: readonly Prompt[]): Prompt[] {
  if (now.length > 1) return [...now];
  return [...presetPrompts];
}

const fillWords: Readonly<Record<(typeof fills)[number], string>> = {
  wrong: vscode.l10n.t('Another id than the right one in every rejected row: what is left behind shows'),
  random: vscode.l10n.t('Other ids in every row'),
  logged: vscode.l10n.t('The drafts of the log, if it has them'),
  correct: vscode.l10n.t('The right ids: what a rewind leaves behind stays hidden'),
};

async function fillsStep({ title, step, totalSteps }: Place, experiment: Extract<ProbeExperiment, { kind: 'replay' }>): Promise<Move> {
  const picked = await vscode.window.showQuickPick(
    fills.map((fill) => ({ label: fill, detail: fillWords[fill], picked: experiment.fills.includes(fill) })),
    { title: `${title} (${step}/${totalSteps})`, placeHolder: vscode.l10n.t('What stands in rejected rows'), canPickMany: true, ignoreFocusOut: true },
  );
  if (picked === undefined) return 'cancel';
  if (picked.length === 0) return 'back';
  experiment.fills = picked.map(({ label }) => label);
  return 'next';
}
