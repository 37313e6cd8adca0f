// Rounds of served requests as lines of a capture log: every request has a line before its first round, and one at its end.
import { CaptureLogWriter, type CaptureLogHeader, type CaptureLogRound } from '../acceptLogs/moireLog';
import type { Outcome } from './request';
import type { Served } from './served';

export type ServedRound = Omit<CaptureLogRound, 'request' | 'round'>;
export type ServedHeader = Omit<CaptureLogHeader, 'format' | 'version'>;

const reasons: Readonly<Record<Outcome['end'], 'budget' | 'eos' | 'cancelled'>> = { length: 'budget', stop: 'eos', cancelled: 'cancelled' };

export class CaptureLines {
  /** Rounds and tokens of requests that have a line. */
  private readonly begun = new Map<Served, { rounds: number; emitted: number; proposed: number; accepted: number }>();
  private readonly writer: CaptureLogWriter;

  constructor(sink: (line: string) => void, header: ServedHeader) {
    this.writer = new CaptureLogWriter(sink, header);
  }

  round(served: Served, round: ServedRound): void {
    const { name: request, prompt } = served.request;
    const counts = this.begun.get(served) ?? { rounds: 0, emitted: 0, proposed: 0, accepted: 0 };
    if (counts.rounds === 0) this.writer.request({ request, promptIds: [...prompt], firstBonus: served.ids[0] ?? 0, partition: [...served.partition] });
    this.writer.round({ request, round: counts.rounds, ...round });
    this.begun.set(served, { rounds: counts.rounds + 1, emitted: counts.emitted + round.emitted.length, proposed: counts.proposed + round.drafts.length, accepted: counts.accepted + round.accepted });
  }

  /** Nothing for a request that had no round. */
  end(served: Served): void {
    const counts = this.begun.get(served);
    if (counts === undefined) return;
    this.begun.delete(served);
    this.writer.end({ request: served.request.name, end: { reason: served.end === null ? 'error' : reasons[served.end.end], ...counts } });
  }

  endAll(): void {
    for (const served of [...this.begun.keys()]) this.end(served);
  }
}
