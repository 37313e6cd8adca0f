// Every command of the extension in one table.
import * as vscode from 'vscode';
import type { BisectExperiment } from '../shared/experiment';
import { askForBisect } from './bisectWizard';
import { examine, type DoctorFindings } from './doctor';
import { experimentFrom, type Defaults } from './experimentText';
import type { CommandId } from './ids';
import { tell } from './messages';
import { onlyModels, sampleModels, workspaceModels } from './modelFolders';
import { chooseReport } from './openReport';
import { Problem } from './problem';
import { reportsDirectory } from './reportStore';
import type { RunEnd } from './runService';
import type { Services } from './services';
import type { Settings } from './settings';
import { localFolder } from './workspaceFolder';

export function commands(services: Services): Record<CommandId, (argument: unknown) => unknown> {
  return {
    'moire.bisect': (argument) => bisect(services, argument),
    'moire.runAgain': (argument) => runAgain(services, argument),
    'moire.openReport': () => chooseReport(reportsFolder(services)),
    'moire.doctor': () => doctor(services),
    'moire.restartEngine': () => restartEngine(services),
    'moire.showLog': () => services.log.show(),
  };
}

/** With an argument (from a key binding, a task, a test) nothing is asked. */
async function bisect(services: Services, argument: unknown): Promise<RunEnd | undefined> {
  if (!(await trusted())) return undefined;
  const defaults = defaultsFrom(services.settings());
  const experiment = argument === undefined ? await ask(services, defaults) : experimentFrom(argument, defaults);
  if (experiment === undefined) return undefined;
  await services.memory.remember(experiment);
  return services.runs.run(withThreads(experiment, services.settings().threads));
}

async function ask(services: Services, defaults: Defaults): Promise<BisectExperiment | undefined> {
  const { memory, extension, engines, settings } = services;
  const samples = await sampleModels(extension.path);
  const preset = experimentFrom({ model: samples[0] ?? '.' }, defaults);
  const [recent, workspace] = await Promise.all([onlyModels(memory.recentModels()), workspaceModels()]);
  return askForBisect(preset, memory.last(), {
    recent,
    workspace,
    samples,
    inspect: async (model) => (await engines.current()).inspect({ library: settings().library, model }),
  });
}

/** `argument`: the file of the report, as the editor's title button and the view give it; else the report in front. */
async function runAgain(services: Services, argument: unknown): Promise<RunEnd | undefined> {
  const report = services.editor.report(argument instanceof vscode.Uri ? argument : undefined);
  if (report === undefined) throw new Problem({ kind: 'input', title: 'There is no open report whose experiment could be run again', place: '', action: 'Open a report first' });
  if (!(await trusted())) return undefined;
  return services.runs.run(report.experiment);
}

async function doctor(services: Services): Promise<DoctorFindings> {
  const { engines, extension, memory, settings } = services;
  const request = { library: settings().library, model: memory.last()?.model ?? '', extensionVersion: extension.version };
  const findings = await examine(extension.version, async () => (await engines.current()).doctor(request));
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: findings.text });
  await vscode.window.showTextDocument(document);
  const wrong = findings.checks.find((check) => !check.ok);
  if (wrong !== undefined) throw new Problem({ kind: 'environment', title: `${wrong.name}: ${wrong.detail}`, place: '', action: wrong.action });
  return findings;
}

async function restartEngine({ engines, log }: Services): Promise<void> {
  const engine = await engines.current();
  await engine.restart();
  tell(log, 'The engine was stopped; the next run starts it again.');
}

/** Running loads native code and reads model files, so it needs trust; the command says so instead of hiding. */
async function trusted(): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true;
  const manage = 'Manage Workspace Trust';
  const sentence = 'Running an engine loads native code, so it needs a trusted workspace. Reports can be opened without.';
  if ((await vscode.window.showWarningMessage(sentence, manage)) === manage) await vscode.commands.executeCommand('workbench.trust.manage');
  return false;
}

function withThreads(experiment: BisectExperiment, threads: number): BisectExperiment {
  if (threads === 0 || 'threads' in experiment.switches) return experiment;
  return { ...experiment, switches: { ...experiment.switches, threads } };
}

function defaultsFrom({ widths, draws, promptLength, walk }: Settings): Defaults {
  return { widths, draws, promptLength, walk, folder: localFolder() };
}

function reportsFolder({ settings, extension }: Services): string {
  return reportsDirectory({ setting: settings().reportsDirectory, workspace: localFolder(), storage: extension.storage.fsPath });
}
