// Gives every line and every JSON object to the readers that know it.
import { stripVTControlCharacters } from 'node:util';
import type { CaptureBuilder } from './builder';
import { engines } from './engines';
import { parseJson, walkObjects } from './jsonText';
import type { JsonReader, LineReader, LogLine } from './reader';
import { quoteOf } from './text';

const escapes = ['\u001b', '\u009b'] as const;

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Lines of documents: where the n-th object of a key begins. */
export class KeyLines {
  private at = 0;
  private line = 1;

  constructor(private readonly text: string) {}

  /** The line of the next `"key"` in the order of the document. */
  next(key: string): number {
    const found = this.text.indexOf(`"${key}"`, this.at);
    if (found < 0) return this.line;
    for (let end = this.text.indexOf('\n', this.at); end >= 0 && end < found; end = this.text.indexOf('\n', end + 1)) this.line += 1;
    this.at = found;
    return this.line;
  }
}

export class Dispatch {
  private readonly lineReaders: readonly LineReader[];
  private readonly jsonReaders: readonly JsonReader[];
  private readonly jsonAnchors: readonly string[];
  /** Any anchor of any reader: one pass over a line, where a search for each anchor would be many. */
  private readonly known: RegExp;

  constructor(private readonly capture: CaptureBuilder) {
    this.lineReaders = engines.flatMap(({ lines }) => lines?.(capture) ?? []);
    this.jsonReaders = engines.flatMap(({ json }) => json?.(capture) ?? []);
    this.jsonAnchors = [...new Set(this.jsonReaders.flatMap(({ keys }) => keys.map((key) => `"${key}"`)))];
    const anchors = [...this.lineReaders.flatMap((reader) => reader.anchors), ...this.jsonAnchors];
    this.known = new RegExp(anchors.map(literally).join('|'));
  }

  line(number: number, raw: string): void {
    const text = escapes.some((escape) => raw.includes(escape)) ? stripVTControlCharacters(raw) : raw;
    const line = { number, text };
    const known = this.known.test(text);
    for (const reader of this.lineReaders) if (reader.wantsAll === true || (known && reader.anchors.some((anchor) => text.includes(anchor)))) reader.read(line);
    if (known && this.jsonAnchors.some((anchor) => text.includes(anchor))) this.jsonLine(line);
  }

  /** JSON that fills the line, or stands behind a prefix ("data: ", a time stamp). */
  private jsonLine(line: LogLine): void {
    const trimmed = line.text.trim();
    const list = trimmed.startsWith('[') ? parseJson(trimmed) : null;
    const start = trimmed.indexOf('{');
    const end = trimmed.lastIndexOf('}');
    const parsed = list?.ok === true ? list : parseJson(trimmed.slice(Math.max(0, start), end < start ? undefined : end + 1));
    if (parsed.ok) this.document(parsed.value, () => line);
    else if (start === 0) this.capture.find({ severity: 'note', identity: 'lines are whole', sentence: `this line is not whole JSON: ${quoteOf(parsed.reason)}` }, line);
  }

  /** All objects of a JSON value; `at` tells where one stands, by the key it was recognised by. */
  document(value: unknown, at: (key: string, object: unknown) => LogLine): void {
    walkObjects(value, (object) => {
      for (const reader of this.jsonReaders) {
        const key = reader.keys.find((name) => name in object);
        if (key !== undefined && reader.read(object, at(key, object))) return false;
      }
      return true;
    });
  }

  end(last: number): void {
    for (const reader of this.lineReaders) reader.end?.(last);
    for (const reader of this.jsonReaders) reader.end?.();
  }
}
