// The teacher-forced logit trace: no acceptance, but the margin of every position.
import type { CaptureBuilder } from '../builder';
import { limits, type LineReader, type LogLine } from '../reader';
import { formats } from './formats';

const header = /^#\s*columns\s+chunk\s+pos\s+target\s+nll\s+top_ids\s+top_logits/;

export class LogitTrace implements LineReader {
  readonly anchors = ['# columns', '# chunks'];
  private inside = false;
  private rows = 0;
  private topk: number | null = null;
  private readonly margins: (number | null)[] = [];
  private readonly greedy: boolean[] = [];

  constructor(private readonly capture: CaptureBuilder) {}

  /** Behind the header: rows have no word of their own. */
  get wantsAll(): boolean {
    return this.inside;
  }

  read(line: LogLine): void {
    if (line.text.startsWith('#')) this.comment(line);
    else if (this.inside) this.row(line);
  }

  private comment(line: LogLine): void {
    const text = line.text.slice(0, 1000);
    const [, topk] = /^# chunks .*\btopk (\d{1,9})/.exec(text) ?? [];
    if (topk !== undefined) this.topk = Number(topk);
    if (!header.test(text)) return;
    this.inside = true;
    this.capture.saw(formats.logitTrace, line);
  }

  private row(line: LogLine): void {
    const [, , target, , ids, logits] = line.text.slice(0, 65_536).split('\t', 6);
    if (ids === undefined || logits === undefined) return;
    this.rows += 1;
    if (this.rows > limits.entries) return;
    const [first = NaN, second = NaN] = logits.split(',', 2).map(Number);
    const margin = first - second;
    this.margins.push(Number.isFinite(margin) ? Number(margin.toFixed(6)) : null);
    this.greedy.push(ids.split(',', 1)[0] === target);
  }

  end(): void {
    if (!this.inside) return;
    if (this.rows > limits.entries) this.capture.warn(`margins are listed for the first ${limits.entries} rows`);
    this.capture.fact('rows', this.rows);
    this.capture.fact('topk', this.topk);
    this.capture.fact('margins', this.margins);
    this.capture.fact('greedyEqualsTarget', this.greedy);
  }
}
