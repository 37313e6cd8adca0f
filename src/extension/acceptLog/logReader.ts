// The log reader from outside: one process a document, which ends with it.
import path from 'node:path';
import type * as vscode from 'vscode';
import { RpcChild } from '../../child/rpcChild';
import { logMethods, type ExportRequest, type LogAnswer, type LogExcerpt, type LogQuestion, type LogState, type QuickLook, type QuickLookRequest, type Slot } from '../../shared/logReaderProtocol';

export class LogReader {
  private readonly child: RpcChild;

  constructor(extensionPath: string, log: vscode.LogOutputChannel) {
    this.child = new RpcChild(path.join(extensionPath, 'dist', 'logReader.js'), log, 'log reader');
  }

  get pid(): number | undefined {
    return this.child.alive ? this.child.pid : undefined;
  }

  onState(listener: (state: LogState) => void): void {
    this.child.on(logMethods.state, listener);
  }

  /** Resolves when the log was read to its end, or as far as it can be. */
  read(slot: Slot, file: string): Promise<LogState> {
    return this.child.request<LogState>(logMethods.read, { slot, file });
  }

  ask(question: LogQuestion): Promise<LogAnswer<LogQuestion>> {
    return this.child.request<LogAnswer<LogQuestion>>(logMethods.ask, question);
  }

  excerpt(slot: Slot, line: number): Promise<LogExcerpt> {
    return this.child.request<LogExcerpt>(logMethods.excerpt, { slot, line });
  }

  export(request: ExportRequest): Promise<null> {
    return this.child.request<null>(logMethods.export, request);
  }

  quickLook(request: QuickLookRequest): Promise<QuickLook> {
    return this.child.request<QuickLook>(logMethods.quickLook, request);
  }

  /** `why` follows "The log reader process". */
  end(why: string): void {
    this.child.kill(why);
  }
}
