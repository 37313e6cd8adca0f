// Quick looks at texts, by a log reader that is started for the first and ends when nobody asks for a while.
import type * as vscode from 'vscode';
import type { QuickLook, QuickLookRequest } from '../../shared/logReaderProtocol';
import { LogReader } from './logReader';

const idleMs = 30_000;

export class Looks implements vscode.Disposable {
  private reader: LogReader | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly extensionPath: string,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Null as well where the reader cannot look: a look is an offer, and nobody asked for it. */
  async look(request: QuickLookRequest): Promise<QuickLook> {
    clearTimeout(this.idle);
    if (this.reader?.pid === undefined) this.reader = new LogReader(this.extensionPath, this.log);
    try {
      return await this.reader.quickLook(request);
    } catch (error) {
      this.log.warn(`quick look: ${String(error)}`);
      return null;
    } finally {
      clearTimeout(this.idle);
      this.idle = setTimeout(() => this.reader?.end('was idle and is stopped'), idleMs);
    }
  }

  dispose(): void {
    clearTimeout(this.idle);
    this.reader?.end('was stopped');
  }
}
