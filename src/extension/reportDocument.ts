// A report file that is open: what the view is to show of it, kept current while the file changes, and while the run that makes it goes on.
import * as vscode from 'vscode';
import { readReport, reportBytesLimit, tooLarge, type Unreadable } from '../shared/reportFile';
import type { FileState, ToView } from '../shared/viewProtocol';
import { stampOf } from './fileStamp';
import { fileReason } from './problem';
import { partialPathOf, type RunBoard } from './runBoard';
import { fileName, watchFile, type FileWatch } from './watchFile';

/** A writer that renames a new file into place makes the old one vanish for a moment. */
const settleMs = 150;
/** A run that goes on changes its report again and again: reading it takes at most a fifth of the time. */
const rest = 4;

export class ReportDocument implements vscode.CustomDocument {
  private readonly changed = new vscode.EventEmitter<ToView>();
  readonly onDidChange = this.changed.event;
  private readonly watches: readonly FileWatch[];
  private readonly listening: vscode.Disposable;
  private loading = Promise.resolve();
  private restsUntil = 0;
  private later: NodeJS.Timeout | undefined;

  private constructor(
    private readonly source: Source,
    private shown: Loaded,
    private readonly onDispose: () => void,
  ) {
    const { file, partial, board } = source;
    this.watches = [file, partial].map((uri) => watchFile(uri, settleMs, () => void this.refresh()));
    this.listening = board.onDidChange((change) => {
      if (change.uri !== file.toString()) return;
      const run = board.runOf(file);
      if (change.what === 'run' || run === undefined) void this.refresh();
      else this.changed.fire({ type: 'progress', progress: run.progress });
    });
  }

  static async open(file: vscode.Uri, board: RunBoard, onDispose: () => void): Promise<ReportDocument> {
    const source = { file, partial: file.with({ path: partialPathOf(file.path) }), board };
    return new ReportDocument(source, await load(source), onDispose);
  }

  get uri(): vscode.Uri {
    return this.source.file;
  }

  get state(): Shown {
    return this.shown.state;
  }

  /** Loads the file again if it is another one than what is shown: not every file system tells its watchers. One load at a time, the last of them of what is there then. */
  refresh(): Promise<void> {
    this.loading = this.loading.then(async () => {
      if ((await stampsOf(this.source)) === this.shown.stamp || this.isResting()) return;
      const start = performance.now();
      this.shown = await load(this.source);
      this.restsUntil = performance.now() + rest * (performance.now() - start);
      this.changed.fire(this.shown.state);
    });
    return this.loading;
  }

  /** Only while its run goes on, and then it looks again when it has rested. */
  private isResting(): boolean {
    const { file, board } = this.source;
    const left = this.restsUntil - performance.now();
    if (left <= 0 || board.runOf(file) === undefined) return false;
    this.later ??= setTimeout(() => {
      this.later = undefined;
      void this.refresh();
    }, left);
    return true;
  }

  dispose(): void {
    clearTimeout(this.later);
    for (const watch of this.watches) watch.dispose();
    this.listening.dispose();
    this.changed.dispose();
    this.onDispose();
  }
}

interface Source {
  readonly file: vscode.Uri;
  /** What a run keeps while it lasts, and leaves when it fails. */
  readonly partial: vscode.Uri;
  readonly board: RunBoard;
}

export type Shown = Extract<ToView, { readonly type: 'report' | 'problem' | 'running' }>;

interface Loaded {
  readonly state: Shown;
  readonly stamp: string;
}

async function stampsOf({ file, partial, board }: Source): Promise<string> {
  return [await stampOf(file), await stampOf(partial), board.runOf(file) === undefined].join(' · ');
}

async function load(source: Source): Promise<Loaded> {
  const stamp = await stampsOf(source);
  return { stamp, state: await stateOf(source) };
}

async function stateOf({ file, partial, board }: Source): Promise<Shown> {
  const running = board.runOf(file);
  const [whole, part] = [(await stampOf(file)) !== '', (await stampOf(partial)) !== ''];
  if (running === undefined) {
    const ended = board.endOf(file);
    if (whole || (!part && ended === undefined)) return read(file, fileName(file));
    if (part) return read(partial, fileName(partial));
    return { ...problem(fileName(file), { title: vscode.l10n.t('The run left no report'), detail: ended?.reason ?? '', action: vscode.l10n.t('Run it again, or close this page.') }), again: true };
  }
  const { title, progress } = running;
  const state = part ? await read(partial, fileName(file)) : null;
  // A partial report that vanishes or is exchanged meanwhile is no problem of the run.
  return state?.type === 'report' ? { ...state, running: progress } : { type: 'running', fileName: fileName(file), title, progress };
}

async function read(uri: vscode.Uri, name: string): Promise<FileState> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > reportBytesLimit) return problem(name, tooLarge(size));
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (bytes.byteLength > reportBytesLimit) return problem(name, tooLarge(bytes.byteLength));
    const found = readReport(new TextDecoder().decode(bytes));
    return found.ok ? { type: 'report', report: found.report, fileName: name } : problem(name, found.problem);
  } catch (error) {
    return problem(name, { title: vscode.l10n.t('This report cannot be read'), detail: `${uri.fsPath}: ${fileReason(error)}.`, action: vscode.l10n.t('Check the file, or run the experiment again.') });
  }
}

function problem(name: string, what: Unreadable): Extract<FileState, { type: 'problem' }> {
  return { type: 'problem', fileName: name, ...what };
}
