// Questions to the log reader, each answered once, whatever order the answers come in.
import type { LogAnswer, LogQuestion, RowList, RowsOf, Slot } from '../../shared/logReaderProtocol';
import type { FromLogView, ToLogView } from '../../shared/logViewProtocol';
import { sentenceOf } from '../../shared/problem';

interface Waiting {
  readonly resolve: (value: LogAnswer<LogQuestion>) => void;
  readonly reject: (error: Error) => void;
}

/** What the reader said of a question that it cannot answer: shown in place, not an error of the page. */
export class Refused extends Error {}

export class Questions {
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(private readonly post: (message: FromLogView) => void) {}

  ask<Q extends LogQuestion>(question: Q): Promise<LogAnswer<Q>> {
    const id = (this.last += 1);
    return new Promise<LogAnswer<Q>>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      this.post({ type: 'ask', id, question });
    });
  }

  /** Rows `from` (inside) to `to` (outside) of a list. */
  async rows<L extends RowList>(slot: Slot, list: L, from: number, to: number, request?: number): Promise<RowsOf[L]> {
    const rows = await this.ask({ ask: 'rows', slot, list, from, to, ...(request === undefined ? {} : { request }) });
    return rows;
  }

  take(message: Extract<ToLogView, { type: 'answer' | 'refused' }>): void {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.type === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(new Refused(sentenceOf(message.problem)));
  }
}
