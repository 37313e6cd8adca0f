// What a reader of one engine's logs is: its formats, the lines it looks for, the JSON objects it knows.
import type { Grade, Semantics } from '../../shared/capture';
import type { CaptureBuilder } from './builder';

/** The most of anything that is kept of one file. A log is not believed: what goes beyond is refused, not stored. */
export const limits = { lineChars: 8 * 1024 * 1024, documentBytes: 32 * 1024 * 1024, rounds: 500_000, ids: 16_000_000, entries: 100_000, findings: 200, quote: 240, depth: 100, containers: 2_000_000, names: 1_000_000 } as const;

export interface Format {
  readonly id: string;
  readonly engine: string;
  /** What prints it, in the engine's words. */
  readonly title: string;
  readonly grade: Grade | null;
  readonly semantics: Omit<Semantics, 'width'>;
}

/** A line without colours and line end, or a JSON object as text. */
export interface LogLine {
  readonly number: number | null;
  readonly text: string;
}

export interface LineReader {
  /** Texts of which one stands in every line of these formats. */
  readonly anchors: readonly string[];
  /** As long as it is true, the reader sees every line. */
  readonly wantsAll?: boolean;
  read(line: LogLine): void;
  /** After the last line, whose number is `last`. */
  end?(last: number): void;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export interface JsonReader {
  /** Keys of which an object of these formats has one. */
  readonly keys: readonly string[];
  /** True when the object was one of these formats: it is not looked into any further. */
  read(object: JsonObject, at: LogLine): boolean;
  end?(): void;
}

export interface EngineLogs {
  readonly formats: readonly Format[];
  readonly lines?: (capture: CaptureBuilder) => readonly LineReader[];
  readonly json?: (capture: CaptureBuilder) => JsonReader;
}

/** The formats of one engine, by a short name. */
export function formatsOf<T extends string>(engine: string, prefix: string, table: Readonly<Record<T, readonly [title: string, grade: Grade | null, value: string, bonusIncluded: Semantics['bonusIncluded'], scope: string]>>): Record<T, Format> {
  const entries = Object.entries(table) as [T, (typeof table)[T]][];
  return Object.fromEntries(entries.map(([name, [title, grade, value, bonusIncluded, scope]]) => [name, { id: `${prefix}.${name}`, engine, title, grade, semantics: { value, bonusIncluded, scope } }])) as Record<T, Format>;
}
