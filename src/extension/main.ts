// Entry of the extension: one list of registrations. No engine and no native code is loaded here.
import * as vscode from 'vscode';
import { registerCommands, type Services } from './commands';
import { Engines } from './engines';
import { Memory } from './memory';
import { report as reportProblem } from './messages';
import { openBeside, ReportEditor, reportViewType } from './reportEditor';
import { RunService } from './runService';
import { readSettings, type Settings } from './settings';
import type { Selection } from '../shared/viewProtocol';

/** For the in-host tests. */
export interface MoireApi {
  readonly enginePid: () => number | undefined;
  readonly selection: (report: vscode.Uri) => Selection | undefined;
}

export function activate(context: vscode.ExtensionContext): MoireApi {
  const log = vscode.window.createOutputChannel('Moire', { log: true });
  context.subscriptions.push(log);
  try {
    return register(context, log);
  } catch (error) {
    // VS Code itself says nothing when an activation fails.
    reportProblem(log, error);
    throw error;
  }
}

function register(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): MoireApi {
  const { extensionPath, extensionUri, globalStorageUri: storage } = context;
  const extensionVersion = String((context.extension.packageJSON as { version?: unknown }).version);
  const settings = (): Settings => readSettings(log);
  const engines = new Engines(extensionPath, log, settings);
  const editor = new ReportEditor(extensionUri, log);
  const runs = new RunService({ log, engine: () => engines.current(), settings, storage, extensionVersion, openReport: openBeside });
  const services: Services = { log, settings, engines, runs, editor, memory: new Memory(context), extension: { path: extensionPath, version: extensionVersion, storage } };
  log.info(`Moire ${extensionVersion}, ${vscode.env.appName} ${vscode.version}, Node ${process.version}, ${process.platform} ${process.arch}`);
  context.subscriptions.push(
    engines,
    registerCommands(services),
    vscode.window.registerCustomEditorProvider(reportViewType, editor, { supportsMultipleEditorsPerDocument: true, webviewOptions: { retainContextWhenHidden: false } }),
  );
  return { enginePid: () => engines.pid, selection: (report) => editor.selection(report) };
}
