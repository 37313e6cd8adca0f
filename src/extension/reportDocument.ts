// A report file that is open: what the view is to show of it, kept current while the file changes.
import * as vscode from 'vscode';
import { readReport, reportBytesLimit, tooLarge, type Unreadable } from '../shared/reportFile';
import type { ToView } from '../shared/viewProtocol';
import { stampOf } from './fileStamp';
import { fileReason } from './problem';
import { fileName, watchFile, type FileWatch } from './watchFile';

/** A writer that renames a new file into place makes the old one vanish for a moment. */
const settleMs = 150;

export class ReportDocument implements vscode.CustomDocument {
  private readonly changed = new vscode.EventEmitter<ToView>();
  readonly onDidChange = this.changed.event;
  private readonly watch: FileWatch;

  private constructor(
    readonly uri: vscode.Uri,
    private shown: Loaded,
    private readonly onDispose: () => void,
  ) {
    this.watch = watchFile(uri, settleMs, () => void this.refresh());
  }

  static async open(uri: vscode.Uri, onDispose: () => void): Promise<ReportDocument> {
    return new ReportDocument(uri, await load(uri), onDispose);
  }

  get state(): ToView {
    return this.shown.state;
  }

  /** Loads the file again if it is another one than what is shown: not every file system tells its watchers. */
  async refresh(): Promise<void> {
    if ((await stampOf(this.uri)) === this.shown.stamp) return;
    this.shown = await load(this.uri);
    this.changed.fire(this.shown.state);
  }

  dispose(): void {
    this.watch.dispose();
    this.changed.dispose();
    this.onDispose();
  }
}

interface Loaded {
  readonly state: ToView;
  readonly stamp: string;
}

async function load(uri: vscode.Uri): Promise<Loaded> {
  const stamp = await stampOf(uri);
  return { stamp, state: await read(uri) };
}

async function read(uri: vscode.Uri): Promise<ToView> {
  const name = fileName(uri);
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > reportBytesLimit) return problem(name, tooLarge(size));
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (bytes.byteLength > reportBytesLimit) return problem(name, tooLarge(bytes.byteLength));
    const found = readReport(new TextDecoder().decode(bytes));
    return found.ok ? { type: 'report', report: found.report, fileName: name } : problem(name, found.problem);
  } catch (error) {
    return problem(name, { title: 'This report cannot be read', detail: `${uri.fsPath}: ${fileReason(error)}.`, action: 'Check the file, or run the experiment again.' });
  }
}

function problem(name: string, what: Unreadable): ToView {
  return { type: 'problem', fileName: name, ...what };
}
