// Rounds of served requests as a capture log, line by line as they happen: what was served can be opened while it is served, and replayed afterwards.
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CaptureLogWriter, type CaptureLogHeader, type CaptureLogRound } from '../acceptLogs/moireLog';
import { Problem } from '../problem';
import { reasonOf } from '../reportStore';
import type { Outcome } from './request';
import type { Served } from './served';

export type ServedRound = Omit<CaptureLogRound, 'request' | 'round'>;

const reasons: Readonly<Record<Outcome['end'], 'budget' | 'eos' | 'cancelled'>> = { length: 'budget', stop: 'eos', cancelled: 'cancelled' };

export class CaptureFile {
  private text = '';
  private writing: Promise<void> = Promise.resolve();
  /** Rounds and emitted tokens of requests that have a line. */
  private readonly begun = new Map<Served, { rounds: number; emitted: number; proposed: number; accepted: number }>();
  private readonly writer: CaptureLogWriter;
  private failed = false;

  private constructor(
    private readonly file: string,
    header: Omit<CaptureLogHeader, 'format' | 'version'>,
    private readonly onWarning: (sentence: string) => void,
  ) {
    this.writer = new CaptureLogWriter((line) => (this.text += line), header);
  }

  /** A new file. Throws a Problem where there is one already or none can be made. */
  static async create(file: string, header: Omit<CaptureLogHeader, 'format' | 'version'>, onWarning: (sentence: string) => void): Promise<CaptureFile> {
    const made = new CaptureFile(file, header, onWarning);
    const { text } = made;
    made.text = '';
    try {
      await writeFile(file, text, { flag: 'wx' });
    } catch (error) {
      const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      throw new Problem({ kind: 'input', title: exists ? 'The capture file is there already' : `The capture file cannot be written: ${reasonOf(error)}`, place: path.resolve(file), action: 'Choose another file' }, { cause: error });
    }
    return made;
  }

  round(served: Served, round: ServedRound): void {
    const { name: request, prompt } = served.request;
    const counts = this.begun.get(served) ?? { rounds: 0, emitted: 0, proposed: 0, accepted: 0 };
    if (counts.rounds === 0) this.writer.request({ request, promptIds: [...prompt], firstBonus: served.ids[0] ?? 0, partition: [...served.partition] });
    this.writer.round({ request, round: counts.rounds, ...round });
    this.begun.set(served, { rounds: counts.rounds + 1, emitted: counts.emitted + round.emitted.length, proposed: counts.proposed + round.drafts.length, accepted: counts.accepted + round.accepted });
  }

  end(served: Served): void {
    const counts = this.begun.get(served);
    if (counts === undefined) return;
    this.begun.delete(served);
    this.writer.end({ request: served.request.name, end: { reason: served.end === null ? 'error' : reasons[served.end.end], ...counts } });
  }

  /** Whole lines only. Nobody waits for the disk; one that takes no more is told of once. */
  flush(): void {
    const { text } = this;
    this.text = '';
    if (text === '' || this.failed) return;
    this.writing = this.writing.then(() => appendFile(this.file, text)).catch((error: unknown) => {
      if (!this.failed) this.onWarning(`Rounds are no longer captured: ${reasonOf(error)} (${this.file}).`);
      this.failed = true;
    });
  }

  async close(): Promise<void> {
    for (const served of [...this.begun.keys()]) this.end(served);
    this.flush();
    await this.writing;
  }
}
