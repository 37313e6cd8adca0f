// The custom editor of *.moire.json: a read-only document and a page that shows it. The page may be dropped and made again at any time; the report is not in it.
import * as vscode from 'vscode';
import type { Experiment } from '../shared/experiment';
import type { Report } from '../shared/report';
import { prefillFollowing } from '../shared/followUp';
import { FromView, type Selection, type ToView } from '../shared/viewProtocol';
import { canLoad, ElementLoads, type ComputeElements } from './elementLoads';
import { ExportOrders } from './exportOrders';
import type { ExportChoice } from './exportPicture';
import { copyText, listenTo } from './fromPage';
import { reportViewType } from './ids';
import { report as reportProblem } from './messages';
import { ReportDocument } from './reportDocument';
import type { RunBoard } from './runBoard';
import { showPage } from './pageHtml';
import { columnOf } from './tabs';

export class ReportEditor implements vscode.CustomReadonlyEditorProvider<ReportDocument> {
  private readonly open = new Map<string, ReportDocument>();
  private readonly selections = new Map<string, Selection>();
  /** Of each file the page that was in front last. */
  private readonly pages = new Map<string, vscode.Webview>();
  private readonly orders: ExportOrders;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly log: vscode.LogOutputChannel,
    private readonly board: RunBoard,
    private readonly compute: ComputeElements,
  ) {
    this.orders = new ExportOrders(log);
  }

  /** What the user selected last in the view of a file. */
  selection(uri: vscode.Uri): Selection | undefined {
    return this.selections.get(uri.toString());
  }

  /** What the view of an open file shows. */
  shown(uri: vscode.Uri): ToView | undefined {
    return this.open.get(uri.toString())?.state;
  }

  /** `uri`, or the report in front when none is named. */
  inFront(uri: vscode.Uri | undefined): vscode.Uri | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return uri ?? (input instanceof vscode.TabInputCustom && input.viewType === reportViewType ? input.uri : undefined);
  }

  /** The report that is open as `uri`, or in front when none is named, if its file is sound. */
  report(uri: vscode.Uri | undefined): Report | undefined {
    const wanted = this.inFront(uri);
    return wanted === undefined ? undefined : reportOf(this.open.get(wanted.toString())?.state);
  }

  /** What can be run again: the experiment of an open report, or of a run that left none. */
  experiment(uri: vscode.Uri | undefined): Experiment | undefined {
    return this.report(uri)?.experiment ?? (uri === undefined ? undefined : this.board.endOf(uri)?.experiment);
  }

  /** What the page of an open file shows, as a file; which one was written, undefined when the user gave up. Rejects with a Problem, undefined where no page shows it. */
  export(uri: vscode.Uri, choice: ExportChoice): Promise<string | undefined> | undefined {
    const page = this.pages.get(uri.toString());
    return page && this.orders.order(page, choice);
  }

  async openCustomDocument(uri: vscode.Uri): Promise<ReportDocument> {
    const key = uri.toString();
    const document = await ReportDocument.open(uri, this.board, () => this.open.delete(key));
    this.open.set(key, document);
    return document;
  }

  resolveCustomEditor(document: ReportDocument, panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const post = (message: ToView): void => void webview.postMessage(message);
    // While a run goes on its report changes with every comparison, and the engine has no time.
    const show = async (message: ToView): Promise<void> => {
      post(message);
      if (message.type === 'report') post({ type: 'canLoad', can: message.running === undefined && (await canLoad(message.report)) });
    };
    const key = document.uri.toString();
    this.pages.set(key, webview);
    const loads = this.loads(document, post);
    const subscriptions = [
      document.onDidChange((state) => void show(state)),
      new vscode.Disposable(() => loads.cancel()),
      panel.onDidChangeViewState(() => {
        if (panel.active) this.pages.set(key, webview);
        void document.refresh();
      }),
      listenTo(webview, FromView, `report view of ${document.uri.fsPath}`, this.log, (message) => {
        if (message.type === 'ready') void show(document.state);
        else this.answer(document, { webview, loads }, message).catch((error: unknown) => reportProblem(this.log, error));
      }),
    ];
    panel.onDidDispose(() => {
      if (this.pages.get(key) === webview) this.pages.delete(key);
      for (const subscription of subscriptions) subscription.dispose();
    });
    showPage(webview, this.extension, 'report');
  }

  /** Answers `data` as if the page of an open file had sent it; what the page would be told comes to `post`. Rejects for what is no message. */
  async ask(uri: vscode.Uri, data: unknown, post: (message: ToView) => void): Promise<void> {
    const document = this.open.get(uri.toString());
    const message = FromView.parse(data);
    if (document !== undefined && message.type !== 'ready') await this.answer(document, { webview: null, loads: this.loads(document, post) }, message);
  }

  private loads(document: ReportDocument, post: (message: ToView) => void): ElementLoads {
    return new ElementLoads(() => reportOf(document.state), this.compute, post);
  }

  private async answer(document: ReportDocument, { webview, loads }: Page, message: Exclude<FromView, { type: 'ready' }>): Promise<void> {
    switch (message.type) {
      case 'selected':
        this.selections.set(document.uri.toString(), message.selection);
        return;
      case 'openAsText':
        await vscode.commands.executeCommand('vscode.openWith', document.uri, 'default');
        return;
      case 'runAgain':
        await vscode.commands.executeCommand('moire.runAgain', document.uri);
        return;
      case 'comparePrefills':
        await comparePrefills(reportOf(document.state));
        return;
      case 'cancelRun':
        this.board.runOf(document.uri)?.cancel();
        return;
      case 'compare':
        await vscode.commands.executeCommand('moire.compareReports', document.uri);
        return;
      case 'export':
      case 'notExported':
        if (webview !== null) await this.orders.answered(document.uri, webview, message);
        return;
      case 'copy':
        await copyText(message.text);
        return;
      case 'loadElements':
      case 'cancelElements':
        return loads.take(message);
      case 'failed':
        this.log.error(`report view of ${document.uri.fsPath}: ${message.message.slice(0, 4000)}`);
        return;
    }
  }
}

async function comparePrefills(report: Report | undefined): Promise<void> {
  const experiment = report?.kind === 'replay' ? prefillFollowing(report) : null;
  if (experiment !== null) await vscode.commands.executeCommand('moire.prefill', experiment);
}

/** Who a message came from. */
interface Page {
  readonly webview: vscode.Webview | null;
  readonly loads: ElementLoads;
}

const reportOf = (state: ToView | undefined): Report | undefined => (state?.type === 'report' ? state.report : undefined);

/** Shows a report without the focus, which stays where the user may be typing: in the tab that it has (the page of its run, too), else beside the editor in front. */
export async function openBeside(file: string): Promise<void> {
  const uri = vscode.Uri.file(file);
  await vscode.commands.executeCommand('vscode.openWith', uri, reportViewType, { viewColumn: columnOf(uri, reportViewType) ?? freeColumn(), preserveFocus: true });
}

function freeColumn(): vscode.ViewColumn {
  return vscode.window.tabGroups.activeTabGroup.tabs.length === 0 ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside;
}
