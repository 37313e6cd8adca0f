// The logs of one document, the second of them to compare with, and the answers to questions about them.
import { compareRequests } from '../../shared/captureCompare';
import type { LogAnswer, LogQuestion, LogState, Slot } from '../../shared/logReaderProtocol';
import { badInput } from '../problem';
import { logTokens } from './logTokens';
import { requestAt, requestDetail, rowsOf } from './logRows';
import { OpenLog } from './openLog';

export class Desk {
  private readonly logs = new Map<Slot, OpenLog>();

  constructor(private readonly tell: (state: LogState) => void) {}

  read(slot: Slot, file: string, signal: AbortSignal): Promise<LogState> {
    const log = new OpenLog(slot, file, (state) => {
      if (this.logs.get(slot) === log) this.tell(state);
    });
    this.logs.set(slot, log);
    return log.read(signal);
  }

  log(slot: Slot): OpenLog {
    const log = this.logs.get(slot);
    if (log === undefined) throw badInput(slot === 'a' ? 'No log is open' : 'No second log is open', '', 'Choose one');
    return log;
  }

  ask(question: LogQuestion): LogAnswer<LogQuestion> {
    switch (question.ask) {
      case 'rows':
        return rowsOf(this.log(question.slot).known, question);
      case 'request':
        return requestDetail(requestAt(this.log(question.slot).known, question.request));
      case 'tokens':
        return logTokens(requestAt(this.log(question.slot).known, question.request), question.from);
      case 'compare':
        return compareRequests(requestAt(this.log('a').known, question.a), requestAt(this.log('b').known, question.b));
    }
  }
}
