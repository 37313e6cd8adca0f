// Entry of the extension: one list of registrations. No engine, no native code and no library is loaded here; `services` brings them when they are first needed.
import * as vscode from 'vscode';
import type { ToCompare } from '../shared/compareProtocol';
import type { Experiment } from '../shared/experiment';
import type { Selection, ToView } from '../shared/viewProtocol';
import type { PanelServer } from '../shared/panelProtocol';
import type { LogState, Slot } from '../shared/logReaderProtocol';
import { registerLens } from './acceptLog/lens';
import type { LogDocument } from './acceptLog/logDocument';
import { acceptLogViewType, commandIds, compareViewType, modelVendor, panelViewType, reportViewType, treeViewType, type CommandId } from './ids';
import { report as reportProblem } from './messages';
import type { ReportDocument } from './reportDocument';
import type { RunEnd } from './runService';
import type { Services } from './services';
import type { Node } from './tree/nodes';

/** For the in-host tests. */
export interface MoireApi {
  /** Milliseconds that `activate` took. */
  readonly activationMs: number;
  readonly enginePid: () => Promise<number | undefined>;
  /** What was selected last in the view of a report. */
  readonly selection: (report: vscode.Uri) => Promise<Selection | undefined>;
  readonly shown: (report: vscode.Uri) => Promise<ToView | undefined>;
  /** What the panels that compare two reports show. */
  readonly compared: () => Promise<readonly ToCompare[]>;
  /** What the page of an open report would be told of a message of its own. */
  readonly ask: (report: vscode.Uri, message: unknown, told: (message: ToView) => void) => Promise<void>;
  readonly served: () => Promise<{ readonly server: PanelServer; readonly pid: number | undefined; readonly statusBar: string }>;
  /** How far an open accept log is read, and the process that reads it. */
  readonly acceptLog: (log: vscode.Uri, slot?: Slot) => Promise<LogState | undefined>;
  readonly logReaderPid: (log: vscode.Uri) => Promise<number | undefined>;
  /** The request that is looked at in its page. */
  readonly selectedRequest: (log: vscode.Uri) => Promise<number | undefined>;
  /** What the tree view shows, and how. */
  readonly tree: () => Promise<vscode.TreeDataProvider<Node>>;
  /** A run that can be cancelled as by the button of its notification. */
  readonly run: (experiment: Experiment, signal: AbortSignal) => Promise<RunEnd>;
}

interface Loaded {
  readonly services: Services;
  readonly run: (id: CommandId, argument: unknown, more: unknown) => Promise<unknown>;
}
type Load = () => Promise<Loaded>;

export function activate(context: vscode.ExtensionContext): MoireApi {
  const start = performance.now();
  const log = vscode.window.createOutputChannel('Moire', { log: true });
  context.subscriptions.push(log);
  try {
    log.info(`Moire on ${vscode.env.appName} ${vscode.version}, Node ${process.version}, ${process.platform} ${process.arch}`);
    const models = new vscode.EventEmitter<void>();
    const tree = new vscode.EventEmitter<undefined>();
    let served = false;
    const load = once(async (): Promise<Loaded> => {
      const { createServices, runCommand } = await import('./services.js');
      const services = createServices(context, log);
      services.served.serving.onDidChange(() => {
        served = true;
        models.fire();
      });
      services.tree.onDidChangeTreeData(() => tree.fire(undefined));
      return { services, run: (id, argument, more) => runCommand(services, id, argument, more) };
    });
    for (const id of commandIds) context.subscriptions.push(registerCommand(id, load));
    context.subscriptions.push(
      registerReports(load),
      registerComparisons(load),
      registerLogs(load),
      registerLens(async (request) => (await load()).services.looks.look(request)),
      registerPanel(load),
      registerTree(load, tree.event),
      registerModels(load, models.event, () => served),
    );
    return {
      activationMs: performance.now() - start,
      enginePid: async () => (await load()).services.engines.pid,
      selection: async (report) => (await load()).services.editor.selection(report),
      shown: async (report) => (await load()).services.editor.shown(report),
      compared: async () => (await load()).services.comparisons.shown(),
      ask: async (report, message, told) => (await load()).services.editor.ask(report, message, told),
      served: async () => {
        const { serving, statusBar } = (await load()).services.served;
        return { server: serving.status, pid: serving.pid, statusBar: statusBar.text };
      },
      acceptLog: async (log, slot) => (await load()).services.logs.state(log, slot),
      logReaderPid: async (log) => (await load()).services.logs.document(log)?.pid,
      selectedRequest: async (log) => (await load()).services.logs.selection(log),
      tree: async () => (await load()).services.tree,
      run: async (experiment, signal) => (await load()).services.runs.run(experiment, signal),
    };
  } catch (error) {
    // VS Code itself says nothing when an activation fails.
    reportProblem(log, error);
    throw error;
  }
}

function registerCommand(id: CommandId, load: Load): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (argument: unknown, more: unknown) => (await load()).run(id, argument, more));
}

const editorOptions = { supportsMultipleEditorsPerDocument: true, webviewOptions: { retainContextWhenHidden: false } };

function registerReports(load: Load): vscode.Disposable {
  const provider: vscode.CustomReadonlyEditorProvider<ReportDocument> = {
    openCustomDocument: async (uri) => (await load()).services.editor.openCustomDocument(uri),
    resolveCustomEditor: async (document, panel) => (await load()).services.editor.resolveCustomEditor(document, panel),
  };
  return vscode.window.registerCustomEditorProvider(reportViewType, provider, editorOptions);
}

/** Panels that were open when the window was closed. */
function registerComparisons(load: Load): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(compareViewType, { deserializeWebviewPanel: async (panel, state: unknown) => (await load()).services.comparisons.restore(panel, state) });
}

function registerLogs(load: Load): vscode.Disposable {
  const provider: vscode.CustomReadonlyEditorProvider<LogDocument> = {
    openCustomDocument: async (uri) => (await load()).services.logs.openCustomDocument(uri),
    resolveCustomEditor: async (document, panel) => (await load()).services.logs.resolveCustomEditor(document, panel),
  };
  return vscode.window.registerCustomEditorProvider(acceptLogViewType, provider, editorOptions);
}

function registerPanel(load: Load): vscode.Disposable {
  const provider: vscode.WebviewViewProvider = { resolveWebviewView: async (view) => (await load()).services.served.panel.resolveWebviewView(view) };
  return vscode.window.registerWebviewViewProvider(panelViewType, provider);
}

/** What is listed is looked for when the view is first shown. */
function registerTree(load: Load, changed: vscode.Event<undefined>): vscode.Disposable {
  const treeDataProvider: vscode.TreeDataProvider<Node> = {
    onDidChangeTreeData: changed,
    getChildren: async (node) => (await load()).services.tree.getChildren(node),
    getTreeItem: async (node) => (await load()).services.tree.getTreeItem(node),
  };
  return vscode.window.createTreeView(treeViewType, { treeDataProvider, showCollapseAll: true, canSelectMany: true });
}

/** VS Code asks every provider for its models when a picker opens; where nothing was served yet the answer needs no loading. */
function registerModels(load: Load, changed: vscode.Event<void>, served: () => boolean): vscode.Disposable {
  const chat = async (): Promise<vscode.LanguageModelChatProvider> => (await load()).services.served.chat;
  return vscode.lm.registerLanguageModelChatProvider(modelVendor, {
    onDidChangeLanguageModelChatInformation: changed,
    provideLanguageModelChatInformation: async (options, token) => (options.silent && !served() ? [] : (await chat()).provideLanguageModelChatInformation(options, token)),
    provideLanguageModelChatResponse: async (...call) => (await chat()).provideLanguageModelChatResponse(...call),
    provideTokenCount: async (...call) => (await chat()).provideTokenCount(...call),
  });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
