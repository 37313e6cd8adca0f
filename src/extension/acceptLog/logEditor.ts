// The custom editor of accept logs: a read-only document whose rows stay in the log reader, and a page that asks for those in sight.
import * as vscode from 'vscode';
import type { LogState, Slot } from '../../shared/logReaderProtocol';
import { FromLogView, type ToLogView } from '../../shared/logViewProtocol';
import { writeExport } from '../exportPicture';
import { copyText, listenTo } from '../fromPage';
import { acceptLogViewType } from '../ids';
import { report as reportProblem } from '../messages';
import { showPage } from '../pageHtml';
import { asProblem, Problem } from '../problem';
import type { TextPages } from '../textPages';
import { exportLog } from './exportLog';
import { goToLine } from './goToLine';
import { LogDocument } from './logDocument';
import { probeOfLog } from './probeOfLog';

export interface LogPlaces {
  readonly extension: vscode.Uri;
  readonly pages: TextPages;
  /** Hears of every log that is opened. */
  readonly opened: (file: string) => void;
}

export class LogEditor implements vscode.CustomReadonlyEditorProvider<LogDocument> {
  private readonly open = new Map<string, LogDocument>();
  private readonly selected = new Map<string, number>();

  constructor(
    private readonly places: LogPlaces,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  state(uri: vscode.Uri, slot: Slot = 'a'): LogState | undefined {
    return this.document(uri)?.state(slot);
  }

  /** The request that is looked at in the page of a file. */
  selection(uri: vscode.Uri): number | undefined {
    return this.selected.get(uri.toString());
  }

  /** The log that is open as `uri`, or in front when none is named. */
  document(uri: vscode.Uri | undefined): LogDocument | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const wanted = uri ?? (input instanceof vscode.TabInputCustom && input.viewType === acceptLogViewType ? input.uri : undefined);
    return wanted === undefined ? undefined : this.open.get(wanted.toString());
  }

  openCustomDocument(uri: vscode.Uri): LogDocument {
    if (uri.scheme !== 'file') throw new Problem({ kind: 'input', title: vscode.l10n.t('Accept logs are read from the local file system'), place: uri.toString(), action: vscode.l10n.t('Copy the log to a local folder') });
    const key = uri.toString();
    const document = new LogDocument(uri, this.places.extension.fsPath, this.log, () => {
      this.open.delete(key);
      this.selected.delete(key);
    });
    this.open.set(key, document);
    this.places.opened(uri.fsPath);
    return document;
  }

  resolveCustomEditor(document: LogDocument, panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const post = (message: ToLogView): void => void webview.postMessage(message);
    const subscriptions = [
      document.onDidChange(post),
      panel.onDidChangeViewState(() => void document.follow()),
      listenTo(webview, FromLogView, `accept log view of ${document.uri.fsPath}`, this.log, (message) => void this.answer(document, message, post).catch((error: unknown) => reportProblem(this.log, error))),
    ];
    panel.onDidDispose(() => {
      for (const subscription of subscriptions) subscription.dispose();
    });
    showPage(webview, this.places.extension, 'acceptLog');
  }

  private async answer(document: LogDocument, message: FromLogView, post: (message: ToLogView) => void): Promise<void> {
    switch (message.type) {
      case 'ready':
        for (const one of document.messages) post(one);
        return;
      case 'ask':
        return document.ask(message.question).then(
          (value) => post({ type: 'answer', id: message.id, value }),
          (error: unknown) => post({ type: 'refused', id: message.id, problem: asProblem(error).data }),
        );
      case 'selected':
        this.selected.set(document.uri.toString(), message.request);
        return;
      case 'goToLine':
        return goToLine(document, message.slot, message.line, this.places.pages);
      case 'probe':
        return probeOfLog(document, message.kind, message.request);
      case 'compare':
        await vscode.commands.executeCommand('moire.compareAcceptLogs', document.uri);
        return;
      case 'endCompare':
        document.endCompare();
        return;
      case 'export':
        await exportLog(document, { format: message.format }, this.log);
        return;
      case 'copy':
        await copyText(message.text);
        return;
      case 'picture':
        await writeExport(document.uri, message, undefined, this.log);
        return;
      case 'readAgain':
        document.readAgain();
        return;
      case 'openAsText':
        await vscode.commands.executeCommand('vscode.openWith', document.uri, 'default');
        return;
      case 'failed':
        this.log.error(`accept log view of ${document.uri.fsPath}: ${message.message}`);
        return;
    }
  }
}

export const notOpen = (): Problem => new Problem({ kind: 'input', title: vscode.l10n.t('No accept log is open'), place: '', action: vscode.l10n.t('Open one with Moire: Inspect Accept Log') });
