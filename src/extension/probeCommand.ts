// The commands that run a probe: from an argument, or asked step by step.
import * as vscode from 'vscode';
import type { ModelExperiment } from '../shared/experiment';
import { presets } from '../shared/presets';
import { askForBisect } from './bisectWizard';
import { experimentFrom, type Defaults } from './experimentText';
import { tell } from './messages';
import { knownDrafters, onlyModels, sampleModels, workspaceModels } from './modelFolders';
import { askForProbe, type ProbeChoices } from './probeWizard';
import type { RunEnd } from './runService';
import type { Services } from './services';
import { localFolder } from './workspaceFolder';

/** With an argument (from a key binding, a task, a test) nothing is asked; `{ ask: ... }` fills in a part and asks for the rest. */
export async function probe(services: Services, kind: ModelExperiment['kind'], argument: unknown): Promise<RunEnd | undefined> {
  if (!(await trusted())) return undefined;
  const defaults: Defaults = { ...services.settings(), folder: localFolder() };
  const filled = filledIn(argument);
  const experiment = filled === undefined ? experimentFrom(kind, argument, defaults) : await ask(services, kind, filled, defaults);
  if (experiment === undefined) return undefined;
  await services.memory.remember(experiment);
  if (overrides(experiment)) tell(services.log, vscode.l10n.t('The exactness gate is OVERRIDDEN in this run: widths engage although their text is not promised to be that of classic decode.'));
  return services.runs.run(withThreads(experiment, services.settings().threads));
}

/** What the wizard starts with, undefined where nothing is to be asked. */
export function filledIn(argument: unknown): Readonly<Record<string, unknown>> | undefined {
  if (argument === undefined) return {};
  if (typeof argument !== 'object' || argument === null || !('ask' in argument)) return undefined;
  return typeof argument.ask === 'object' && argument.ask !== null ? (argument.ask as Readonly<Record<string, unknown>>) : {};
}

async function ask(services: Services, kind: ModelExperiment['kind'], filled: Readonly<Record<string, unknown>>, defaults: Defaults): Promise<ModelExperiment | undefined> {
  const choices = await choicesOf(services);
  const model = choices.recent[0] ?? choices.samples[0] ?? '.';
  const preset = presets[kind](model, defaults);
  const start = (last: ModelExperiment | undefined): unknown => ({ ...(last ?? preset), ...filled, kind: preset.kind });
  const known = ({ model: first }: ModelExperiment): ProbeChoices => (typeof filled['model'] === 'string' ? { ...choices, recent: [first, ...choices.recent] } : choices);
  if (preset.kind === 'bisect') {
    const first = experimentFrom('bisect', start(services.memory.last('bisect')), defaults);
    return askForBisect(preset, first, known(first));
  }
  const first = experimentFrom(preset.kind, start(services.memory.last(preset.kind)), defaults);
  return askForProbe(first, known(first), new Set(Object.keys(filled)));
}

export async function choicesOf({ memory, extension, engines, settings }: Services): Promise<ProbeChoices> {
  const [recent, workspace, samples] = await Promise.all([onlyModels(memory.recentModels()), workspaceModels(), sampleModels(extension.path)]);
  return {
    recent,
    workspace,
    samples,
    drafters: await knownDrafters(extension.path),
    inspect: async (folder) => (await engines.current()).inspect({ library: settings().library, model: folder }),
  };
}

const overrides = (experiment: ModelExperiment): boolean => (experiment.kind === 'gate' && experiment.override) || (experiment.kind === 'parity' && experiment.gate === 'override');

function withThreads<E extends ModelExperiment>(experiment: E, threads: number): E {
  if (threads === 0 || experiment.kind === 'switches' || 'threads' in experiment.switches) return experiment;
  return { ...experiment, switches: { ...experiment.switches, threads } };
}

/** Running loads native code and reads model files, so it needs trust; the command says so instead of hiding. */
export async function trusted(): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true;
  const manage = vscode.l10n.t('Manage Workspace Trust');
  const sentence = vscode.l10n.t('Running an engine loads native code, so it needs a trusted workspace. Reports can be opened without.');
  if ((await vscode.window.showWarningMessage(sentence, manage)) === manage) await vscode.commands.executeCommand('workbench.trust.manage');
  return false;
}
