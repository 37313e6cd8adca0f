// The text form of Prometheus metrics, as far as counters of acceptance need it.
import type { Facts } from '../../shared/capture';
import type { CaptureBuilder } from './builder';
import type { Stated } from './counts';
import { limits, type Format, type LineReader, type LogLine } from './reader';
import { own } from './text';

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: string;
}

/** `name{label="value"} 1.0`; null for comments and for what is no sample. */
export function sampleOf(text: string): Sample | null {
  const [, name, labels = '', value] = /^\s*([A-Za-z_:][\w:]{0,199})(?:\{([^}]{0,2000})\})?\s+(\S{1,40})/.exec(text) ?? [];
  if (name === undefined || value === undefined) return null;
  return { name, labels: new Map([...labels.matchAll(/([A-Za-z_]\w{0,99})="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text])), value };
}

/** Samples that differ in `except` alone belong together. */
export function labelKey(labels: ReadonlyMap<string, string>, ...except: readonly string[]): string {
  return own([...labels].filter(([name]) => !except.includes(name)).map(([name, value]) => `${name}=${value}`).sort().join(' '));
}

export function labelFacts(key: string): Facts {
  return key === '' ? {} : { labels: key };
}

interface Group {
  at: LogLine;
  readonly values: Map<string, number>;
  readonly positions: (number | undefined)[];
}

const names = { rounds: 'num_drafts', proposed: 'num_draft_tokens', accepted: 'num_accepted_tokens', perPosition: 'num_accepted_tokens_per_pos' } as const;

/** The counters `<prefix>spec_decode_num_*`, which several servers share. Every label set is a capture of its own; a series that comes again is a later scrape. */
export class SpecDecodeCounters implements LineReader {
  readonly anchors: readonly string[];
  private readonly groups = new Map<string, Group>();

  constructor(
    private readonly capture: CaptureBuilder,
    private readonly format: Format,
    private readonly prefix: string,
  ) {
    this.anchors = [prefix];
  }

  read(line: LogLine): void {
    const sample = sampleOf(line.text);
    if (sample?.name.startsWith(this.prefix) !== true) return;
    const series = sample.name.slice(this.prefix.length).replace(/_total$/, '');
    if (!Object.values<string>(names).includes(series)) return;
    const value = this.capture.count(String(Number(sample.value)), sample.name, line);
    if (value === null) return;
    const key = labelKey(sample.labels, 'position');
    if (series === names.perPosition) this.position(key, sample.labels.get('position'), value, line);
    else this.group(key, series, line).values.set(series, value);
  }

  private position(key: string, position: string | undefined, value: number, line: LogLine): void {
    const at = this.capture.count(position, 'position', line, 1023);
    if (at !== null) this.group(key, `${names.perPosition}${at}`, line).positions[at] = value;
  }

  /** The group that has no such series yet. */
  private group(key: string, series: string, at: LogLine): Group {
    const old = this.groups.get(key);
    const position = series.startsWith(names.perPosition) ? old?.positions[Number(series.slice(names.perPosition.length))] : undefined;
    const repeated = old?.values.has(series) === true || position !== undefined;
    if (old !== undefined && !repeated) return old;
    if (old !== undefined) this.close(key, old);
    const group = { at: { number: at.number, text: own(at.text.slice(0, limits.quote)) }, values: new Map(), positions: [] };
    if (this.groups.size < limits.entries) this.groups.set(key, group);
    return group;
  }

  private close(key: string, { at, values, positions }: Group): void {
    const stated: Stated = {
      roundCount: values.get(names.rounds) ?? null,
      proposedSum: values.get(names.proposed) ?? null,
      acceptedSum: values.get(names.accepted) ?? null,
      perPositionCounts: positions.length === 0 ? null : Array.from(positions, (count) => count ?? 0),
      width: positions.length === 0 ? null : positions.length + 1,
    };
    this.capture.interval({ format: this.format, stated, at, facts: labelFacts(key) });
  }

  end(): void {
    for (const [key, group] of this.groups) this.close(key, group);
  }
}

/** Gauges that give a mean length or a rate alone. */
export class SpecDecodeGauges implements LineReader {
  readonly anchors: readonly string[];
  private readonly groups = new Map<string, { at: LogLine; values: Map<string, string> }>();

  constructor(
    private readonly capture: CaptureBuilder,
    private readonly format: Format,
    private readonly gauges: readonly string[],
    private readonly stated: (values: ReadonlyMap<string, string>) => Stated,
  ) {
    this.anchors = gauges;
  }

  read(line: LogLine): void {
    const sample = sampleOf(line.text);
    if (sample === null || !this.gauges.includes(sample.name)) return;
    const key = labelKey(sample.labels);
    const group = this.groups.get(key) ?? { at: { number: line.number, text: own(line.text.slice(0, limits.quote)) }, values: new Map<string, string>() };
    group.values.set(sample.name, own(sample.value));
    if (this.groups.size < limits.entries) this.groups.set(key, group);
  }

  end(): void {
    for (const [key, { at, values }] of this.groups) this.capture.interval({ format: this.format, stated: this.stated(values), at, facts: labelFacts(key) });
  }
}
