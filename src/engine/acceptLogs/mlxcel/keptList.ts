// A file that is nothing but a list of kept rows: "2,2,3,1".
import path from 'node:path';
import type { CaptureBuilder } from '../builder';
import { keptToAccepted } from '../keptRows';
import type { LineReader, LogLine } from '../reader';
import { limits } from '../reader';
import { quoteOf } from '../text';
import { formats } from './formats';

/** "kept-w4.txt" -> 4 */
function widthInName(file: string): number | null {
  const [, width] = /(?:^|[-_.])w(\d{1,4})(?=[-_.]|$)/.exec(path.basename(file)) ?? [];
  return width === undefined ? null : Number(width);
}

export class KeptList implements LineReader {
  readonly anchors = [];
  private values: number[] | null = [];
  private first: LogLine | null = null;

  constructor(
    private readonly capture: CaptureBuilder,
    private readonly file: string,
  ) {}

  /** Until a line that is no list says that the file is none. */
  get wantsAll(): boolean {
    return this.values !== null;
  }

  read(line: LogLine): void {
    if (this.values === null || line.text.trim() === '') return;
    const isList = /^[\d,\s]+$/.test(line.text) && (this.first !== null || line.text.includes(','));
    const values = isList ? this.capture.counts(line.text.split(/[,\s]+/).filter((value) => value !== ''), 'kept rows', line) : null;
    if (values === null) {
      this.values = null;
      return;
    }
    this.capture.reserve(values.length, 0);
    this.first ??= { number: line.number, text: quoteOf(line.text) };
    for (const value of values) this.values.push(value);
  }

  end(): void {
    if (this.values === null || this.first === null) return;
    const accepted = keptToAccepted(this.capture, this.values, this.first);
    this.capture.saw(formats.keptRows, this.first);
    if (accepted === null) return;
    const largest = this.values.reduce((a, b) => Math.max(a, b), 0);
    const width = Math.max(largest, widthInName(this.file) ?? 0);
    this.capture.warn(`the list does not say its width: ${width} is taken, from ${width === largest ? 'the largest value' : 'the name of the file'}`);
    this.capture.request({ format: formats.keptRows, stated: { accepted, width: Math.min(width, limits.rounds) }, at: this.first });
  }
}
