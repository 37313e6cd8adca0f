// Every command of the extension in one table.
import * as vscode from 'vscode';
import { recordOf } from '../shared/record';
import type { Report } from '../shared/report';
import { compare, exportCommand, inspect } from './acceptLog/logCommands';
import { attachToServer } from './attach/attachCommand';
import { compareReports } from './compare/compareCommand';
import { examine, type DoctorFindings } from './doctor';
import { chooseFormat, exportArgument } from './exportPicture';
import { panelViewType, type CommandId } from './ids';
import { compareTokenIds } from './idsCommand';
import { tell } from './messages';
import { chooseReport } from './openReport';
import { Problem } from './problem';
import { probe, trusted } from './probeCommand';
import { reportsDirectory } from './reportStore';
import type { RunEnd } from './runService';
import type { Services } from './services';
import { serveActions } from './serving/actions';
import { captureRun, completeCommand, inspectRun, startServedRun, toggleInline, whyNoSpeculation } from './serving/commands';
import { compareReport, copyPaths, deleteReports, revealPlace, runReportAgain } from './tree/fileActions';
import { serverOf } from './tree/given';
import { addModel, bisectModel, inspectModel, openSample, serveModel } from './tree/modelActions';
import { localFolder } from './workspaceFolder';

export function commands(services: Services): Record<CommandId, (argument: unknown, more: unknown) => unknown> {
  return {
    'moire.bisect': (argument) => probe(services, 'bisect', argument),
    'moire.prefill': (argument) => probe(services, 'prefill', argument),
    'moire.gate': (argument) => probe(services, 'gate', argument),
    'moire.parity': (argument) => probe(services, 'parity', argument),
    'moire.replay': (argument) => probe(services, 'replay', argument),
    'moire.rewind': (argument) => probe(services, 'rewind', argument),
    'moire.widths': (argument) => probe(services, 'widths', argument),
    'moire.switches': (argument) => probe(services, 'switches', argument),
    'moire.compareIds': (argument) => compareTokenIds(services, argument),
    'moire.startServedRun': (argument) => startServedRun(services, argument),
    'moire.stopServedRun': () => services.served.serving.stop(),
    'moire.servedRun': () => serveActions(services),
    'moire.complete': (argument) => completeCommand(services, argument),
    'moire.captureRun': (argument) => captureRun(services, argument),
    'moire.inspectRun': (argument) => inspectRun(services, argument),
    'moire.toggleInline': () => toggleInline(services),
    'moire.whyNoSpeculation': () => whyNoSpeculation(services),
    'moire.attach': (argument) => attachToServer(services, argument),
    'moire.runAgain': (argument) => runAgain(services, argument),
    'moire.openReport': () => chooseReport(reportsFolder(services)),
    'moire.copyRecord': (argument) => copyRecord(services, argument),
    'moire.exportPicture': (argument) => exportPicture(services, argument),
    'moire.compareReports': (argument, selected) => compareReports(services, argument, selected),
    'moire.inspectAcceptLog': (argument, request) => inspect(services, argument, request),
    'moire.compareAcceptLogs': (argument, selected) => compare(services, argument, selected),
    'moire.exportAcceptLog': (argument) => exportCommand(services, argument),
    'moire.openSample': (argument) => openSample(services, argument),
    'moire.addModel': () => addModel(services),
    'moire.tree.refresh': () => services.tree.refresh(),
    'moire.tree.bisect': (node) => bisectModel(services, node),
    'moire.tree.serve': (node) => serveModel(node),
    'moire.tree.inspect': (node) => inspectModel(services, node),
    'moire.tree.runAgain': (node) => runReportAgain(services, node),
    'moire.tree.compare': (node, selected) => compareReport(services, node, selected),
    'moire.tree.reveal': (node) => revealPlace(node),
    'moire.tree.copyPath': (node, selected) => copyPaths(node, selected),
    'moire.tree.delete': (node, selected) => deleteReports(node, selected),
    'moire.tree.attach': (node) => attachToServer(services, { ask: { url: serverOf(node) } }),
    'moire.tree.showPanel': () => vscode.commands.executeCommand(`${panelViewType}.focus`),
    'moire.doctor': () => doctor(services),
    'moire.restartEngine': () => restartEngine(services),
    'moire.showLog': () => services.log.show(),
  };
}

/** `argument`: the file of the report, as the editor's title button and the view give it; else the report in front. */
async function runAgain(services: Services, argument: unknown): Promise<RunEnd | undefined> {
  const experiment = services.editor.experiment(uriOf(argument));
  if (experiment === undefined) throw noReport();
  return (await trusted()) ? services.runs.run(experiment) : undefined;
}

/** The text, for whoever runs the command by name. */
async function copyRecord(services: Services, argument: unknown): Promise<string> {
  const record = recordOf(openReport(services, argument));
  await vscode.env.clipboard.writeText(record);
  tell(services.log, vscode.l10n.t('The report is on the clipboard as a Markdown record.'));
  return record;
}

/** The file, for whoever runs the command by name. */
async function exportPicture({ editor }: Services, argument: unknown): Promise<string | undefined> {
  const { uri, choice } = exportArgument(argument);
  const wanted = editor.inFront(uri);
  if (wanted === undefined) throw noReport();
  const format = choice?.format ?? (await chooseFormat());
  if (format === undefined) return undefined;
  const written = editor.export(wanted, { format, file: choice?.file });
  if (written === undefined) throw noReport();
  return written;
}

function openReport({ editor }: Services, argument: unknown): Report {
  const report = editor.report(uriOf(argument));
  if (report === undefined) throw noReport();
  return report;
}

const uriOf = (argument: unknown): vscode.Uri | undefined => (argument instanceof vscode.Uri ? argument : undefined);

const noReport = (): Problem => new Problem({ kind: 'input', title: vscode.l10n.t('There is no open report that can be read'), place: '', action: vscode.l10n.t('Open a report first') });

async function doctor(services: Services): Promise<DoctorFindings> {
  const { engines, extension, memory, pages, settings } = services;
  const request = { library: settings().library, model: memory.lastModel() ?? '', extensionVersion: extension.version };
  const findings = await examine(extension.version, async () => (await engines.current()).doctor(request));
  await pages.show('Moire Doctor.md', findings.text);
  const wrong = findings.checks.find((check) => !check.ok);
  if (wrong !== undefined) throw new Problem({ kind: 'environment', title: `${wrong.name}: ${wrong.detail}`, place: '', action: wrong.action });
  return findings;
}

async function restartEngine({ engines, log }: Services): Promise<void> {
  const engine = await engines.current();
  await engine.restart();
  tell(log, vscode.l10n.t('The engine was stopped; the next run starts it again.'));
}

function reportsFolder({ settings, extension }: Services): string {
  return reportsDirectory({ setting: settings().reportsDirectory, workspace: localFolder(), storage: extension.storage.fsPath });
}
