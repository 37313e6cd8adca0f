// An accept log that is open: the process that reads it, how far it is, and the second log beside it.
import * as vscode from 'vscode';
import { nothingKnown, type ExportRequest, type LogAnswer, type LogExcerpt, type LogQuestion, type LogState, type Slot } from '../../shared/logReaderProtocol';
import type { ToLogView } from '../../shared/logViewProtocol';
import type { ProblemData } from '../../shared/engineProtocol';
import { stampOf } from '../fileStamp';
import { fileName, watchFile, type FileWatch } from '../watchFile';
import { asProblem } from '../problem';
import { LogReader } from './logReader';

/** A log that grows is looked at no more often. */
const followMs = 1000;
/** A larger log is not read again by itself: its reading takes longer than a look. */
const followedBytes = 16 * 1024 * 1024;

export class LogDocument implements vscode.CustomDocument {
  private readonly changed = new vscode.EventEmitter<ToLogView>();
  readonly onDidChange = this.changed.event;
  private reader: LogReader;
  private readonly logs = new Map<Slot, { readonly file: string; state: LogState }>();
  private stamp = '';
  private stale = false;
  private readonly watch: FileWatch;
  /** Reads the log anew, beside what is shown. */
  private beside: LogReader | null = null;
  private closed = false;
  /** The request that a page is to show, as soon as it can. */
  private wanted: number | null = null;

  constructor(
    readonly uri: vscode.Uri,
    private readonly extensionPath: string,
    private readonly log: vscode.LogOutputChannel,
    private readonly onDispose: () => void,
  ) {
    this.reader = this.newReader();
    this.read('a', uri.fsPath);
    this.watch = watchFile(uri, followMs, () => void this.follow());
  }

  get pid(): number | undefined {
    return this.reader.pid;
  }

  state(slot: Slot): LogState | undefined {
    return this.logs.get(slot)?.state;
  }

  file(slot: Slot): string | undefined {
    return this.logs.get(slot)?.file;
  }

  /** All that a page needs to begin with. */
  get messages(): readonly ToLogView[] {
    const logs = [...this.logs].map(([slot, { state }]): ToLogView => ({ type: 'log', slot, state }));
    const wanted: ToLogView[] = this.wanted === null ? [] : [{ type: 'show', request: this.wanted }];
    return [...logs, { type: 'stale', stale: this.stale }, ...wanted];
  }

  ask(question: LogQuestion): Promise<LogAnswer<LogQuestion>> {
    return this.ofReader((reader) => reader.ask(question));
  }

  excerpt(slot: Slot, line: number): Promise<LogExcerpt> {
    return this.ofReader((reader) => reader.excerpt(slot, line));
  }

  async export(request: ExportRequest): Promise<void> {
    await this.ofReader((reader) => reader.export(request));
  }

  show(request: number): void {
    this.wanted = request;
    this.changed.fire({ type: 'show', request });
  }

  compareWith(file: string): void {
    this.read('b', file);
  }

  endCompare(): void {
    this.logs.delete('b');
    this.changed.fire({ type: 'log', slot: 'b', state: null });
  }

  /** Both logs from the start, in a new process: the old one may be dead, or in the middle of a log. */
  readAgain(): void {
    const files = [...this.logs].map(([slot, { file }]) => ({ slot, file }));
    this.reader.end('begins anew');
    this.reader = this.newReader();
    for (const { slot, file } of files) this.read(slot, file);
  }

  /** Looks whether the file is still the one that was read. A small one that is not is read again; of a large one pages hear that they are old. */
  async follow(): Promise<void> {
    const changed = this.stamp !== '' && (await stampOf(this.uri)) !== this.stamp;
    if (!changed || !(await isSmall(this.uri))) this.tellStale(changed);
    else if (this.beside === null && this.state('a')?.phase !== 'reading') await this.readBeside();
  }

  private tellStale(stale: boolean): void {
    if (stale !== this.stale) this.changed.fire({ type: 'stale', stale });
    this.stale = stale;
  }

  dispose(): void {
    this.closed = true;
    this.watch.dispose();
    this.reader.end('ended with its document');
    this.beside?.end('ended with its document');
    this.changed.dispose();
    this.onDispose();
  }

  private newReader(): LogReader {
    const reader = new LogReader(this.extensionPath, this.log);
    reader.onState((state) => {
      const kept = this.logs.get(state.slot);
      if (this.reader === reader && kept?.state.phase === 'reading') this.set(kept.file, state);
    });
    return reader;
  }

  /** What is shown stays until the new reading is whole, so that pages keep their place. What is opened or closed meanwhile counts more. */
  private async readBeside(): Promise<void> {
    const [before, shown, stamp] = [this.reader, new Map(this.logs), await stampOf(this.uri)];
    const reader = (this.beside = this.newReader());
    const isSame = (): boolean => !this.closed && this.reader === before && this.logs.size === shown.size && [...shown].every(([slot, { file }]) => this.logs.get(slot)?.file === file);
    try {
      const states = await Promise.all([...shown].map(([slot, { file }]) => reader.read(slot, file)));
      if (!isSame()) return;
      [this.reader, this.stamp] = [reader, stamp];
      for (const state of states) this.set(this.file(state.slot) ?? '', state);
    } catch (error) {
      if (this.closed) return;
      this.log.warn(`accept log ${this.uri.fsPath} could not be read again: ${String(error)}`);
      this.tellStale(true);
      return;
    } finally {
      this.beside = null;
      (this.reader === reader ? before : reader).end('gave way to a newer one');
    }
    // It may have grown meanwhile.
    this.watch.look();
  }

  /** A question to a reader that gave way is put to the one after it. */
  private async ofReader<T>(ask: (reader: LogReader) => Promise<T>): Promise<T> {
    const { reader } = this;
    try {
      return await ask(reader);
    } catch (error) {
      if (this.reader === reader) throw error;
      return this.ofReader(ask);
    }
  }

  private read(slot: Slot, file: string): void {
    const { reader } = this;
    const isCurrent = (): boolean => this.reader === reader && this.logs.get(slot)?.file === file;
    this.set(file, begun(slot, file));
    if (slot === 'a') void this.remember();
    reader.read(slot, file).then(
      (state) => {
        if (!isCurrent()) return;
        this.set(file, state);
        this.watch.look();
      },
      (error: unknown) => isCurrent() && this.set(file, { ...(this.state(slot) ?? begun(slot, file)), phase: 'failed', problem: problemOf(error) }),
    );
  }

  private async remember(): Promise<void> {
    this.stamp = await stampOf(this.uri);
    this.tellStale(false);
  }

  private set(file: string, state: LogState): void {
    this.logs.set(state.slot, { file, state });
    this.changed.fire({ type: 'log', slot: state.slot, state });
  }
}

const begun = (slot: Slot, file: string): LogState => ({
  slot,
  source: fileName(vscode.Uri.file(file)),
  phase: 'reading',
  problem: null,
  bytes: 0,
  bytesRead: 0,
  ...nothingKnown,
});

async function isSmall(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(({ size }) => size <= followedBytes, () => false);
}

/** A process that died is started again by reading again, not by the next use. */
function problemOf(error: unknown): ProblemData {
  const { data } = asProblem(error);
  return data.kind === 'engine' ? { ...data, action: vscode.l10n.t('Read the log again; if it ends the same way, cut the part of interest out of the log') } : data;
}
