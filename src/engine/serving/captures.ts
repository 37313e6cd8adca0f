// Where rounds are kept: in the file of the whole run, and as a log of its own with each request that asks for one.
import type { CaptureFile } from './captureFile';
import { CaptureLines, type ServedHeader, type ServedRound } from './captureLines';
import type { Served } from './served';

class OwnLog {
  text = '';
  readonly lines: CaptureLines;

  constructor(header: ServedHeader) {
    this.lines = new CaptureLines((line) => (this.text += line), header);
  }
}

export class Captures {
  private readonly own = new Map<Served, OwnLog>();

  constructor(
    private readonly header: ServedHeader,
    private readonly file: CaptureFile | null,
  ) {}

  round(served: Served, round: ServedRound): void {
    this.file?.lines.round(served, round);
    if (served.request.capture) this.ownOf(served).lines.round(served, round);
  }

  end(served: Served): void {
    this.file?.lines.end(served);
    const own = this.own.get(served);
    if (own === undefined) return;
    this.own.delete(served);
    own.lines.end(served);
    served.capture = own.text;
  }

  /** What was told goes to the disk. */
  flush(): void {
    this.file?.flush();
  }

  async close(): Promise<void> {
    await this.file?.close();
  }

  private ownOf(served: Served): OwnLog {
    const own = this.own.get(served) ?? new OwnLog(this.header);
    this.own.set(served, own);
    return own;
  }
}
