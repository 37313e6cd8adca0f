// The completions panel: a view of the side bar that may be dropped and made again at any time. All state is here and behind it; the page draws it.
import * as vscode from 'vscode';
import type { Switches } from '../../shared/experiment';
import type { FromPanel, PanelOptions, ToPanel } from '../../shared/panelProtocol';
import { panelViewType } from '../ids';
import { report as reportProblem } from '../messages';
import { showPage } from '../pageHtml';
import { promptOfEditor, write } from './editing';
import { askGate } from './askGate';
import type { Folders } from './folders';
import { Message, Options } from './panelMessage';
import type { Runs } from './runs';
import type { Serving } from './serving';

const optionsKey = 'panel.options';
const preset: PanelOptions = { maxTokens: 256, temperature: 0, chat: false, speculation: true, cache: true };

export interface PanelParts {
  readonly extension: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly state: vscode.Memento;
  readonly serving: Serving;
  readonly folders: Folders;
  /** Asks for a server that runs already. */
  readonly attach: () => Promise<unknown>;
  /** Made with what tells the page. */
  readonly runs: (tell: (message: ToPanel) => void) => Runs;
}

export class PanelView implements vscode.WebviewViewProvider {
  readonly runs: Runs;
  private view: vscode.WebviewView | null = null;
  private options: PanelOptions;
  /** What was put into the prompt box last. */
  private prompt = '';

  constructor(private readonly its: PanelParts) {
    this.runs = its.runs((message) => this.tell(message));
    const stored = Options.safeParse(its.state.get(optionsKey));
    this.options = stored.success ? stored.data : preset;
    its.serving.onDidChange((server) => this.tell({ type: 'server', server }));
    its.folders.onDidChange((folders) => this.tell({ type: 'folders', ...folders }));
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extension, log } = this.its;
    this.view = view;
    view.onDidDispose(() => {
      if (this.view === view) this.view = null;
    });
    view.webview.onDidReceiveMessage((raw: unknown) => {
      const message = Message.safeParse(raw);
      if (message.success) this.answer(message.data).catch((error: unknown) => reportProblem(log, error));
      else log.warn(`completions panel: a message that is none was dropped: ${message.error.message.slice(0, 500)}`);
    });
    showPage(view.webview, extension, 'panel');
  }

  /** Puts a text into the prompt box, and shows the panel. */
  async offer(text: string): Promise<void> {
    this.prompt = text;
    await vscode.commands.executeCommand(`${panelViewType}.focus`);
    await this.view?.webview.postMessage({ type: 'prompt', text } satisfies ToPanel);
  }

  /** A completion with the options of the panel, where no others are given. */
  async complete(prompt: string, options: Partial<PanelOptions> = {}): Promise<Awaited<ReturnType<Runs['complete']>>> {
    return this.runs.complete(prompt, { ...this.options, ...options });
  }

  /** Kernels that were chosen for a model stay when it is started again from here. */
  private switchesOf(model: string): Switches {
    const { last } = this.its.serving;
    return last?.model === model ? last.switches : {};
  }

  private tell(message: ToPanel): void {
    void this.view?.webview.postMessage(message);
  }

  private async answer(message: FromPanel): Promise<void> {
    const { serving, log, state, folders } = this.its;
    switch (message.type) {
      case 'ready':
        return this.ready();
      case 'serve':
        await vscode.commands.executeCommand('moire.startServedRun', { model: message.model, drafter: message.drafter, switches: this.switchesOf(message.model) });
        return;
      case 'browse':
        return folders.browse(message.what);
      case 'attach':
        await this.its.attach();
        return;
      case 'stopServer':
        serving.stop();
        return;
      case 'complete':
        this.options = message.options;
        await state.update(optionsKey, message.options);
        await this.runs.complete(message.prompt, message.options);
        return;
      case 'stop':
        this.runs.stop(message.id);
        return;
      case 'useSelection':
        return this.offer(promptOfEditor());
      case 'clearHistory':
        return this.runs.clear();
      case 'askGate':
        return askGate(serving);
      case 'failed':
        log.error(`completions panel: ${message.message.slice(0, 4000)}`);
        return;
      default:
        return this.act(message);
    }
  }

  /** What concerns one run. */
  private async act({ type, id }: Exclude<Extract<FromPanel, { readonly id: string }>, { readonly type: 'stop' }>): Promise<void> {
    const text = this.runs.find(id)?.text ?? '';
    switch (type) {
      case 'insert':
        return write(text, false);
      case 'replace':
        return write(text, true);
      case 'copy':
        return vscode.env.clipboard.writeText(text);
      case 'show':
        this.runs.show(id);
        return;
      case 'remove':
        return this.runs.remove(id);
      case 'capture':
        await vscode.commands.executeCommand('moire.captureRun', { id });
        return;
      case 'inspect':
        await vscode.commands.executeCommand('moire.inspectRun', { id });
        return;
    }
  }

  private async ready(): Promise<void> {
    const { serving, folders } = this.its;
    this.tell({ type: 'options', options: this.options });
    this.tell({ type: 'server', server: serving.status });
    this.tell({ type: 'prompt', text: this.prompt });
    this.tell({ type: 'history', entries: this.runs.entries });
    this.runs.tellShown();
    // Found in the file system, which takes its time in a large workspace.
    this.tell({ type: 'folders', ...(await folders.known()) });
  }
}
