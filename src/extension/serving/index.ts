// The served run of a window with all that shows and uses it.
import path from 'node:path';
import * as vscode from 'vscode';
import { report as reportProblem, tell } from '../messages';
import type { Settings } from '../settings';
import { ChatProvider } from './chatProvider';
import { Folders } from './folders';
import { History } from './history';
import { Inline } from './inline';
import { PanelView } from './panelView';
import { Runs } from './runs';
import { Serving } from './serving';
import { StatusBar } from './statusBar';
import { serveToken } from './token';

/** True from the start of a served run, or an attachment, to its end: when clauses of package.json read it. */
const servedContext = 'moire.served';

export interface Served {
  readonly serving: Serving;
  readonly panel: PanelView;
  readonly history: History;
  readonly folders: Folders;
  readonly inline: Inline;
  readonly chat: ChatProvider;
  readonly statusBar: StatusBar;
  readonly token: () => Promise<string>;
  /** Folder of the capture logs of the history. */
  readonly captures: string;
}

export interface ServedParts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly settings: () => Settings;
  readonly recentModels: () => readonly string[];
  readonly attach: () => Promise<unknown>;
}

export function createServed({ context, log, settings, recentModels, attach }: ServedParts): Served {
  const token = (): Promise<string> => serveToken(context.secrets, (made) => tell(log, vscode.l10n.t('A bearer token for served runs was made. It is kept in the secret storage of VS Code.'), [{ label: vscode.l10n.t('Copy Token'), run: () => vscode.env.clipboard.writeText(made) }]));
  const serving = new Serving({ log, modulePath: path.join(context.extensionPath, 'dist', 'serverProcess.js'), settings, token });
  const statusBar = new StatusBar();
  const captures = path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'captures');
  const history = new History(context.workspaceState, captures);
  const folders = new Folders(context.extensionPath, context.workspaceState, recentModels);
  const panel = new PanelView({ extension: context.extensionUri, log, state: context.workspaceState, serving, folders, attach, runs: (say) => new Runs(serving, history, say, (rates) => statusBar.showRates(rates), (problem) => reportProblem(log, problem)) });
  const inline = new Inline({ serving, settings: () => settings().inline, log, onRates: (rates) => statusBar.showRates(rates) });
  const chat = new ChatProvider(serving);
  const showInline = (): void => statusBar.showInline(inline.isOn(vscode.window.activeTextEditor?.document.languageId ?? ''));
  context.subscriptions.push(
    serving,
    statusBar,
    serving.onDidChange((server) => {
      statusBar.show(server);
      void vscode.commands.executeCommand('setContext', servedContext, server.state !== 'none' && server.state !== 'failed');
    }),
    vscode.languages.registerInlineCompletionItemProvider({ pattern: '**' }, inline),
    vscode.window.onDidChangeActiveTextEditor(showInline),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('moire.inline') && showInline()),
  );
  showInline();
  return { serving, panel, history, folders, inline, chat, statusBar, token, captures };
}
