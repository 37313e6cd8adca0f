// Gives every line and every JSON object to the readers that know it.
import { stripVTControlCharacters } from 'node:util';
import type { CaptureBuilder } from './builder';
import { engines } from './engines';
import { parseJson, walkObjects } from './jsonText';
import type { JsonObject, JsonReader, LineReader, LogLine } from './reader';
import { quoteOf } from './text';

const escapes = ['\u001b', '\u009b'] as const;

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

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
    this.known = new RegExp(this.anchors.map(literally).join('|'));
  }

  /** One of these stands in every line that a reader asks for. */
  get anchors(): readonly string[] {
    return [...new Set([...this.lineReaders.flatMap((reader) => reader.anchors), ...this.jsonAnchors])];
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

  /** All objects of a JSON value; `at` tells where the next object with a key stands, in the order of the document. */
  document(value: unknown, at: (key: string) => LogLine): void {
    walkObjects(value, (object) => !this.object(object, at));
  }

  /** True when a reader knew the object. Each of its keys is looked up once, however many readers share it. */
  private object(object: JsonObject, at: (key: string) => LogLine): boolean {
    const places = new Map<string, LogLine>();
    return this.jsonReaders.some((reader) => {
      const key = reader.keys.find((name) => name in object);
      if (key === undefined) return false;
      const place = places.get(key) ?? at(key);
      places.set(key, place);
      return reader.read(object, place);
    });
  }

  end(last: number): void {
    for (const reader of this.lineReaders) reader.end?.(last);
    for (const reader of this.jsonReaders) reader.end?.();
  }
}
