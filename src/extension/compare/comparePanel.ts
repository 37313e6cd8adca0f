// A panel that shows two reports against each other and follows both files. It can be closed and made again at any time: the page keeps which files they are.
import * as vscode from 'vscode';
import { FromCompare, Kept, type Compared, type ToCompare } from '../../shared/compareProtocol';
import type { FileState } from '../../shared/viewProtocol';
import { writeExport } from '../exportPicture';
import { copyText, listenTo } from '../fromPage';
import { compareViewType, reportViewType } from '../ids';
import { report as reportProblem } from '../messages';
import { showPage } from '../pageHtml';
import { ReportDocument } from '../reportDocument';
import type { RunBoard } from '../runBoard';
import { fileName } from '../watchFile';

interface Sides {
  readonly a: vscode.Uri;
  readonly b: vscode.Uri;
}

interface Documents {
  readonly a: ReportDocument;
  readonly b: ReportDocument;
}

/** Of a run that has nothing to compare yet its page follows as soon as there is. */
function fileState({ state }: ReportDocument): FileState {
  if (state.type === 'problem') return { ...state, again: false };
  if (state.type === 'report') return state;
  const { fileName: name, title } = state;
  return { type: 'problem', fileName: name, title: vscode.l10n.t('The run of this report has just begun'), detail: title, action: vscode.l10n.t('What it finds is shown here as it comes.') };
}

const titleOf = ({ a, b }: Sides): string => `${fileName(a)} ↔ ${fileName(b)}`;

export class ComparePanels {
  private readonly open = new Set<ComparePanel>();

  constructor(
    private readonly extension: vscode.Uri,
    private readonly log: vscode.LogOutputChannel,
    private readonly board: RunBoard,
  ) {}

  /** Two files beside each other: a panel that shows them already comes to the front. */
  async show(sides: Sides): Promise<void> {
    const same = [...this.open].find((one) => one.shows(sides));
    if (same !== undefined) {
      same.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel(compareViewType, titleOf(sides), vscode.ViewColumn.Active, { retainContextWhenHidden: false });
    await this.fill(panel, sides);
  }

  /** After the window was loaded again. What the page kept is of an untrusted page: addresses of files, or nothing. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = Kept.safeParse(state);
    if (!kept.success) {
      panel.dispose();
      return;
    }
    await this.fill(panel, { a: vscode.Uri.parse(kept.data.files.a), b: vscode.Uri.parse(kept.data.files.b) });
  }

  /** What the panels show, for tests. */
  shown(): readonly ToCompare[] {
    return [...this.open].map(({ state }) => state);
  }

  private async fill(panel: vscode.WebviewPanel, sides: Sides): Promise<void> {
    const life: { ended: boolean } = { ended: false };
    const ended = panel.onDidDispose(() => (life.ended = true));
    // Editors may have the files open as well: each document follows its file by itself.
    const documents = { a: await ReportDocument.open(sides.a, this.board, () => undefined), b: await ReportDocument.open(sides.b, this.board, () => undefined) };
    ended.dispose();
    if (life.ended) {
      // It was closed while the files were read.
      documents.a.dispose();
      documents.b.dispose();
      return;
    }
    const made = new ComparePanel(panel, documents, this.log);
    this.open.add(made);
    panel.onDidDispose(() => {
      this.open.delete(made);
      made.dispose();
    });
    showPage(panel.webview, this.extension, 'compare');
  }
}

class ComparePanel {
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private documents: Documents,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      documents.a.onDidChange(() => this.post()),
      documents.b.onDidChange(() => this.post()),
      panel.onDidChangeViewState(() => {
        for (const document of [this.documents.a, this.documents.b]) void document.refresh();
      }),
      listenTo(panel.webview, FromCompare, 'comparison', log, (message) => void this.answer(message).catch((error: unknown) => reportProblem(log, error))),
    ];
  }

  get state(): ToCompare {
    const { a, b } = this.documents;
    const files: Compared = { a: a.uri.toString(), b: b.uri.toString() };
    return { type: 'compared', files, a: fileState(a), b: fileState(b) };
  }

  shows({ a, b }: Sides): boolean {
    return this.documents.a.uri.toString() === a.toString() && this.documents.b.uri.toString() === b.toString();
  }

  reveal(): void {
    this.panel.reveal();
  }

  dispose(): void {
    for (const one of [...this.subscriptions, this.documents.a, this.documents.b]) one.dispose();
  }

  private post(): void {
    void this.panel.webview.postMessage(this.state);
  }

  private async answer(message: FromCompare): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.post();
        return;
      case 'open':
        await vscode.commands.executeCommand('vscode.openWith', this.documents[message.side].uri, reportViewType);
        return;
      case 'swap':
        this.documents = { a: this.documents.b, b: this.documents.a };
        this.panel.title = titleOf({ a: this.documents.a.uri, b: this.documents.b.uri });
        this.post();
        return;
      case 'copy':
        await copyText(message.text);
        return;
      case 'export':
        await writeExport(this.documents.b.uri, message, undefined, this.log);
        return;
      case 'failed':
        this.log.error(`comparison: ${message.message.slice(0, 4000)}`);
        return;
    }
  }
}
