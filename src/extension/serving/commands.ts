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
  const title = `Moire: serving ${path.basename(asked.model)}`;
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
  const target = file ?? (await vscode.window.showSaveDialog({ title: 'Capture this run', defaultUri: vscode.Uri.file(path.join(localFolder() ?? services.extension.storage.fsPath, name)), filters: { 'Accept logs': ['jsonl'] } }))?.fsPath;
  if (target === undefined) return undefined;
  const at = path.resolve(localFolder() ?? '.', target);
  await copyFile(services.served.history.captureFile(run), at).catch((error: unknown) => {
    throw new Problem({ kind: 'environment', title: `The accept log cannot be written: ${fileReason(error)}`, place: at, action: 'Choose another place' }, { cause: error });
  });
  tell(services.log, `The ${run.rates.rounds} rounds of this run are in ${path.basename(at)}.`, [{ label: 'Inspect', run: () => openLog(at) }]);
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
  if (run === undefined) throw new Problem({ kind: 'input', title: 'There is no run to capture', place: '', action: 'Run a completion in the Moire panel first' });
  if (run.captured) return run;
  if (run.state === 'running') throw new Problem({ kind: 'input', title: 'This run has not ended', place: '', action: 'Wait for it, or stop it' });
  const why = run.declined === '' ? 'it had no rounds of speculation' : run.declined;
  throw new Problem({ kind: 'input', title: `This run has nothing to capture: ${why}`, place: '', action: 'Serve the model with a drafter that the exactness gate engages' });
}

/** Switches ghost text for the language of the editor in front. Resolves with whether it is on now. */
export async function toggleInline(services: Services): Promise<boolean> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  if (language === undefined) throw new Problem({ kind: 'input', title: 'There is no open text editor', place: '', action: 'Open a file of the language that ghost text shall be switched for' });
  const { languages } = services.settings().inline;
  const on = !services.served.inline.isOn(language);
  // "*" means every language, so one is taken out by naming it no longer alone.
  const next = on ? [...languages, language] : languages.filter((one) => one !== language && one !== '*');
  await vscode.workspace.getConfiguration('moire').update('inline.languages', next, vscode.ConfigurationTarget.Global);
  if (on) await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  const { state } = services.served.serving.status;
  if (on && (state === 'none' || state === 'failed')) tell(services.log, `Ghost text is on for ${language}. It comes from a served model, and none is served.`, startOffers);
  return on;
}

export function whyNoSpeculation({ served: { serving }, log }: Services): void {
  const { state, drafter, speculating, speculation } = serving.status;
  if (state === 'none' || state === 'failed') return tell(log, 'No model is served.', startOffers);
  if (speculating === null) return tell(log, drafter === '' ? 'This server does not say whether it speculates.' : 'The exactness gate is still at work.');
  tell(log, speculating ? `Speculation is on. ${speculation}` : `Speculation is off. ${speculation}`, drafter === '' ? [] : [{ label: 'Ask the Gate', run: () => askGate(serving) }]);
}
