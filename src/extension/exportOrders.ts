// Orders to the pages of reports to export what they show, and what comes of them.
import * as vscode from 'vscode';
import type { ExportOrder, FromView } from '../shared/viewProtocol';
import { writeExport, type ExportChoice } from './exportPicture';
import { Problem } from './problem';

/** A page that says nothing for so long is one that cannot. Milliseconds. */
const patience = 60_000;

type Answer = Extract<FromView, { type: 'export' | 'notExported' }>;

interface Pending {
  readonly file: string | undefined;
  readonly page: vscode.Webview;
  readonly done: (file: string | undefined) => void;
  readonly failed: (error: unknown) => void;
}

const noExport = (reason: string): Problem => new Problem({ kind: 'input', title: vscode.l10n.t('Nothing was exported: {0}', reason), place: '', action: vscode.l10n.t('Choose a run with a picture, or another format') });

export class ExportOrders {
  private readonly pending = new Map<number, Pending>();
  private last = 0;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** The file that was written, undefined when the user gave up. Rejects with a Problem. */
  order(page: vscode.Webview, { format, file }: ExportChoice): Promise<string | undefined> {
    const order = ++this.last;
    return new Promise<string | undefined>((done, failed) => {
      const late = setTimeout(() => failed(noExport('the page did not answer.')), patience);
      const settle = <T>(end: (value: T) => void) => (value: T): void => {
        clearTimeout(late);
        end(value);
      };
      this.pending.set(order, { file, page, done: settle(done), failed: settle(failed) });
      const message: ExportOrder = { type: 'export', format, order };
      void page.postMessage(message).then((heard) => heard || failed(noExport('the page is not there.')), failed);
    }).finally(() => this.pending.delete(order));
  }

  /** What the page of a report made: by an order, or by its own menu. */
  async answered(report: vscode.Uri, page: vscode.Webview, answer: Answer): Promise<void> {
    const pending = this.pending.get(answer.order);
    // A page answers its own orders and no other's.
    const own = pending?.page === page ? pending : undefined;
    if (answer.type === 'notExported') return own?.failed(noExport(answer.reason));
    if (own === undefined) {
      if (answer.order === 0) await writeExport(report, answer, undefined, this.log);
      return;
    }
    await writeExport(report, answer, own.file, this.log).then(own.done, own.failed);
  }
}
