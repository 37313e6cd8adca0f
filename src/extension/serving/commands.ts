// Commands of the served run.
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { z } from 'zod';
import { captureLogExtension } from '../../shared/capture';
import type { PanelOptions, PanelRun } from '../../shared/panelProtocol';
import { Switches } from '../../shared/experiment';
import { servedKernels } from '../../shared/presets';
import { argumentOf } from '../commandArgument';
import { acceptLogViewType } from '../ids';
import { tell } from '../messages';
import { faultOfFolder } from '../modelFolders';
import { choicesOf, filledIn, trusted } from '../probeCommand';
import { fileReason, Problem } from '../problem';
import type { Services } from '../services';
import { localFolder } from '../workspaceFolder';
import { askGate } from './askGate';
import type { Connection } from './connection';
import { promptOfEditor } from './editing';
import { captureName } from './history';
import { Options } from './panelMessage';
import { serveMemory } from './serveMemory';
import type { ServeAsked } from './serving';
import { startOffers } from './startOffers';
import { askWhatToServe } from './startWizard';

const Start = z.object({ model: z.string().min(1).max(4096), drafter: z.string().max(4096).default(''), switches: Switches.default({}), capture: z.string().max(4096).default('') });
const Filled = Start.pick({ model: true }).partial();
const Complete = z.object({ prompt: z.string().min(1), options: Options.optional() });
const Run = z.object({ id: z.string().optional(), file: z.string().min(1).optional() });

/** With an argument nothing is asked; `{ ask: { model } }` fills in the model. Resolves with what completions go to, undefined when the user gave up. */
export async function startServedRun(services: Services, argument: unknown): Promise<Connection | undefined> {
  if (!(await trusted())) return undefined;
  const filled = filledIn(argument);
  const asked = filled === undefined ? within(argumentOf(Start, argument)) : await ask(services, argumentOf(Filled, filled));
  if (asked === undefined) return undefined;
  const fault = await faultOfFolder(asked.model);
  if (fault !== '') throw new Problem({ kind: 'input', title: fault, place: '', action: '' });
  const { serving, folders } = services.served;
  await folders.remember(asked);
  const title = vscode.l10n.t('Moire: serving {0}', path.basename(asked.model));
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => serving.start(withThreads(asked, services.settings().threads)));
}

const withThreads = (asked: ServeAsked, threads: number): ServeAsked => (threads === 0 || 'threads' in asked.switches ? asked : { ...asked, switches: { ...asked.switches, threads } });

/** Paths of an argument start at the workspace folder. */
function within({ model, drafter, switches, capture }: z.infer<typeof Start>): ServeAsked {
  const at = (folder: string): string => (folder === '' ? '' : path.resolve(localFolder() ?? '.', folder));
  return { model: at(model), drafter: at(drafter), switches: { ...servedKernels, ...switches }, capture: at(capture) };
}

async function ask(services: Services, filled: z.infer<typeof Filled>): Promise<ServeAsked | undefined> {
  const choices = await choicesOf(services);
  const last = serveMemory(services.workspaceState).read();
  const known = filled.model === undefined ? choices : { ...choices, recent: [filled.model, ...choices.recent] };
  return askWhatToServe({ model: choices.recent[0] ?? choices.samples[0] ?? '', drafter: '', switches: { ...servedKernels }, ...last, ...(filled.model !== undefined && { model: filled.model }), capture: '' }, known);
}

/** With a prompt it runs at once; without, the selection (or all before the cursor) comes into the panel. */
export async function completeCommand({ served: { panel } }: Services, argument: unknown): Promise<PanelRun | undefined> {
  if (argument !== undefined) {
    const { prompt, options } = argumentOf(Complete, argument);
    return panel.complete(prompt, options satisfies PanelOptions | undefined);
  }
  await panel.offer(vscode.window.activeTextEditor === undefined ? '' : promptOfEditor());
  return undefined;
}

/** A copy of the rounds of a run as an accept log. Resolves with its path. */
export async function captureRun(services: Services, argument: unknown): Promise<string | undefined> {
  const { id, file } = argumentOf(Run, argument ?? {});
  const run = capturedRun(services, id);
  const name = `${captureName(run)}${captureLogExtension}`;
  const target = file ?? (await vscode.window.showSaveDialog({ title: vscode.l10n.t('Capture this run'), defaultUri: vscode.Uri.file(path.join(localFolder() ?? services.extension.storage.fsPath, name)), filters: { [vscode.l10n.t('Accept logs')]: ['jsonl'] } }))?.fsPath;
  if (target === undefined) return undefined;
  const at = path.resolve(localFolder() ?? '.', target);
  await copyFile(services.served.history.captureFile(run), at).catch((error: unknown) => {
    throw new Problem({ kind: 'environment', title: vscode.l10n.t('The accept log cannot be written: {0}', fileReason(error)), place: at, action: vscode.l10n.t('Choose another place') }, { cause: error });
  });
  tell(services.log, vscode.l10n.t('The {0} rounds of this run are in {1}.', run.rates.rounds, path.basename(at)), [{ label: vscode.l10n.t('Inspect'), run: () => openLog(at) }]);
  return at;
}

/** Opens the timeline of a run's rounds. */
export async function inspectRun(services: Services, argument: unknown): Promise<void> {
  const { id } = argumentOf(Run, argument ?? {});
  await openLog(services.served.history.captureFile(capturedRun(services, id)));
}

async function openLog(file: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(file), acceptLogViewType);
}

function capturedRun({ served: { panel, history } }: Services, id: string | undefined): PanelRun {
  const run = id === undefined ? (panel.runs.current ?? history.latest) : panel.runs.find(id);
  if (run === undefined) throw new Problem({ kind: 'input', title: vscode.l10n.t('There is no run to capture'), place: '', action: vscode.l10n.t('Run a completion in the Moire panel first') });
  if (run.captured) return run;
  if (run.state === 'running') throw new Problem({ kind: 'input', title: vscode.l10n.t('This run has not ended'), place: '', action: vscode.l10n.t('Wait for it, or stop it') });
  const why = run.declined === '' ? vscode.l10n.t('it had no rounds of speculation') : run.declined;
  throw new Problem({ kind: 'input', title: vscode.l10n.t('This run has nothing to capture: {0}', why), place: '', action: vscode.l10n.t('Serve the model with a drafter that the exactness gate engages') });
}

/** Switches ghost text for the language of the editor in front. Resolves with whether it is on now. */
export async function toggleInline(services: Services): Promise<boolean> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  if (language === undefined) throw new Problem({ kind: 'input', title: vscode.l10n.t('There is no open text editor'), place: '', action: vscode.l10n.t('Open a file of the language that ghost text shall be switched for') });
  const { languages } = services.settings().inline;
  const on = !services.served.inline.isOn(language);
  // "*" means every language, so one is taken out by naming it no longer alone.
  const next = on ? [...languages, language] : languages.filter((one) => one !== language && one !== '*');
  await vscode.workspace.getConfiguration('moire').update('inline.languages', next, vscode.ConfigurationTarget.Global);
  if (on) await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  const { state } = services.served.serving.status;
  if (on && (state === 'none' || state === 'failed')) tell(services.log, vscode.l10n.t('Ghost text is on for {0}. It comes from a served model, and none is served.', language), startOffers);
  return on;
}

export function whyNoSpeculation({ served: { serving }, log }: Services): void {
  const { state, drafter, speculating, speculation } = serving.status;
  if (state === 'none' || state === 'failed') return tell(log, vscode.l10n.t('No model is served.'), startOffers);
  if (speculating === null) return tell(log, drafter === '' ? vscode.l10n.t('This server does not say whether it speculates.') : vscode.l10n.t('The exactness gate is still at work.'));
  tell(log, speculating ? vscode.l10n.t('Speculation is on. {0}', speculation) : vscode.l10n.t('Speculation is off. {0}', speculation), drafter === '' ? [] : [{ label: vscode.l10n.t('Ask the Gate'), run: () => askGate(serving) }]);
}
