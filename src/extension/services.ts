// All that a command or an open report needs. Loaded when the first of them comes, since validation and RPC libraries take longer than an activation may.
import './texts';
import type * as vscode from 'vscode';
import { LogEditor } from './acceptLog/logEditor';
import { Looks } from './acceptLog/looks';
import type { CommandId } from './ids';
import { commands } from './commands';
import { ComparePanels } from './compare/comparePanel';
import { Engines } from './engines';
import { Memory } from './memory';
import { report as reportProblem } from './messages';
import { TokenStore } from './attach/tokenStore';
import { openBeside, ReportEditor } from './reportEditor';
import { RunBoard } from './runBoard';
import { RunService } from './runService';
import { createServed, type Served } from './serving';
import { completeFromServer } from './serving/attach';
import { readSettings, type Settings } from './settings';
import { TextPages } from './textPages';
import { Overview } from './tree/overview';

export interface Services {
  readonly log: vscode.LogOutputChannel;
  readonly settings: () => Settings;
  readonly engines: Engines;
  readonly runs: RunService;
  readonly editor: ReportEditor;
  readonly comparisons: ComparePanels;
  readonly logs: LogEditor;
  readonly looks: Looks;
  readonly pages: TextPages;
  readonly memory: Memory;
  readonly served: Served;
  readonly tree: Overview;
  readonly workspaceState: vscode.Memento;
  readonly tokens: TokenStore;
  readonly extension: { readonly path: string; readonly version: string; readonly storage: vscode.Uri };
}

export function createServices(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Services {
  const { extensionPath, extensionUri, globalStorageUri: storage } = context;
  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  const settings = settingsWithLog(log);
  const engines = new Engines(extensionPath, log, settings);
  const looks = new Looks(extensionPath, log);
  const pages = new TextPages();
  context.subscriptions.push(engines, looks, pages);
  const logs = new LogEditor({ extension: extensionUri, pages, opened: (file) => void memory.rememberLog(file) }, log);
  const board = new RunBoard();
  context.subscriptions.push(board);
  const tokens = new TokenStore(context.secrets, (url) => served.serving.tokenOf(url));
  const runs = new RunService({ log, engine: () => engines.current(), settings, storage, extensionVersion: version, openReport: openBeside, board, tokensFor: (experiment) => tokens.for(experiment) });
  const editor = new ReportEditor(extensionUri, log, board, (...asked) => runs.elements(...asked));
  const comparisons = new ComparePanels(extensionUri, log, board);
  const memory = new Memory(context, (group) => tree.touched(group));
  const served = createServed({ context, log, settings, recentModels: () => memory.recentModels(), attach: () => completeFromServer(services) });
  const { serving, captures } = served;
  const tree = new Overview({ log, settings, memory, serving, captures, extensionPath, storage: storage.fsPath });
  context.subscriptions.push(tree);
  const services: Services = { log, settings, engines, runs, editor, comparisons, logs, looks, pages, memory, tokens, served, tree, workspaceState: context.workspaceState, extension: { path: extensionPath, version, storage } };
  return services;
}

/** Settings are read when they are needed, which is often; what is wrong with them is said once. */
function settingsWithLog(log: vscode.LogOutputChannel): () => Settings {
  const told = new Set<string>();
  const warn = (sentence: string): void => {
    if (!told.has(sentence)) log.warn(sentence);
    told.add(sentence);
  };
  return () => readSettings(warn);
}

/** Runs a command of the table; what it throws is told to the user, once and here. */
export async function runCommand(services: Services, id: CommandId, argument: unknown, more?: unknown): Promise<unknown> {
  try {
    return await commands(services)[id](argument, more);
  } catch (error) {
    reportProblem(services.log, error);
    return undefined;
  }
}
