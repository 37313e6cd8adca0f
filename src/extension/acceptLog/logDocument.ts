// An accept log that is open: the process that reads it, how far it is, and the second log beside it.
import * as vscode from 'vscode';
import { nothingKnown, type ExportRequest, type LogAnswer, type LogExcerpt, type LogQuestion, type LogState, type Slot } from '../../shared/logReaderProtocol';
import type { ToLogView } from '../../shared/logViewProtocol';
import type { ProblemData } from '../../shared/engineProtocol';
import { stampOf } from '../fileStamp';
import { asProblem } from '../problem';
import { LogReader } from './logReader';

export class LogDocument implements vscode.CustomDocument {
  private readonly changed = new vscode.EventEmitter<ToLogView>();
  readonly onDidChange = this.changed.event;
  private reader: LogReader;
  private readonly logs = new Map<Slot, { readonly file: string; state: LogState }>();
  private stamp = '';
  private stale = false;
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
    return this.reader.ask(question);
  }

  excerpt(slot: Slot, line: number): Promise<LogExcerpt> {
    return this.reader.excerpt(slot, line);
  }

  async export(request: ExportRequest): Promise<void> {
    await this.reader.export(request);
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

  /** Whether the file is still the one that was read. Pages hear of it when it is not. */
  async refresh(): Promise<void> {
    const stale = this.stamp !== '' && (await stampOf(this.uri)) !== this.stamp;
    if (stale !== this.stale) this.changed.fire({ type: 'stale', stale });
    this.stale = stale;
  }

  dispose(): void {
    this.reader.end('ended with its document');
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

  private read(slot: Slot, file: string): void {
    const { reader } = this;
    const isCurrent = (): boolean => this.reader === reader && this.logs.get(slot)?.file === file;
    this.set(file, begun(slot, file));
    if (slot === 'a') void this.remember();
    reader.read(slot, file).then(
      (state) => isCurrent() && this.set(file, state),
      (error: unknown) => isCurrent() && this.set(file, { ...(this.state(slot) ?? begun(slot, file)), phase: 'failed', problem: problemOf(error) }),
    );
  }

  private async remember(): Promise<void> {
    this.stamp = await stampOf(this.uri);
    await this.refresh();
  }

  private set(file: string, state: LogState): void {
    this.logs.set(state.slot, { file, state });
    this.changed.fire({ type: 'log', slot: state.slot, state });
  }
}

const begun = (slot: Slot, file: string): LogState => ({
  slot,
  source: vscode.Uri.file(file).path.split('/').at(-1) ?? file,
  phase: 'reading',
  problem: null,
  bytes: 0,
  bytesRead: 0,
  ...nothingKnown,
});

/** A process that died is started again by reading again, not by the next use. */
function problemOf(error: unknown): ProblemData {
  const { data } = asProblem(error);
  return data.kind === 'engine' ? { ...data, action: 'Read the log again; if it ends the same way, cut the part of interest out of the log' } : data;
}
