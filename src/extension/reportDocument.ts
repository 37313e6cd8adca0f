// A report file that is open: what the view is to show of it, kept current while the file changes.
import * as vscode from 'vscode';
import { readReport, reportBytesLimit, tooLarge, type Unreadable } from '../shared/reportFile';
import type { ToView } from '../shared/viewProtocol';
import { fileReason } from './problem';

/** A writer that renames a new file into place makes the old one vanish for a moment. */
const settleMs = 150;

export class ReportDocument implements vscode.CustomDocument {
  private readonly changed = new vscode.EventEmitter<ToView>();
  readonly onDidChange = this.changed.event;
  private readonly watcher: vscode.FileSystemWatcher;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    readonly uri: vscode.Uri,
    private shown: ToView,
    private readonly onDispose: () => void,
  ) {
    const folder = vscode.Uri.joinPath(uri, '..');
    this.watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, escapeGlob(fileName(uri))));
    const reload = (): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.reload(), settleMs);
    };
    this.watcher.onDidChange(reload);
    this.watcher.onDidCreate(reload);
    this.watcher.onDidDelete(reload);
  }

  static async open(uri: vscode.Uri, onDispose: () => void): Promise<ReportDocument> {
    return new ReportDocument(uri, await load(uri), onDispose);
  }

  get state(): ToView {
    return this.shown;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.watcher.dispose();
    this.changed.dispose();
    this.onDispose();
  }

  private async reload(): Promise<void> {
    this.shown = await load(this.uri);
    this.changed.fire(this.shown);
  }
}

async function load(uri: vscode.Uri): Promise<ToView> {
  const name = fileName(uri);
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > reportBytesLimit) return problem(name, tooLarge(size));
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (bytes.byteLength > reportBytesLimit) return problem(name, tooLarge(bytes.byteLength));
    const read = readReport(new TextDecoder().decode(bytes));
    return read.ok ? { type: 'report', report: read.report, fileName: name } : problem(name, read.problem);
  } catch (error) {
    return problem(name, { title: 'This report cannot be read', detail: `${uri.fsPath}: ${fileReason(error)}.`, action: 'Check the file, or run the experiment again.' });
  }
}

function problem(name: string, what: Unreadable): ToView {
  return { type: 'problem', fileName: name, ...what };
}

function fileName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

function escapeGlob(name: string): string {
  return name.replace(/[[\]{}*?]/g, '[$&]');
}
