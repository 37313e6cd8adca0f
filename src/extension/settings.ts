// The one place that reads the settings. Values of a workspace are untrusted: what is of the wrong type or out of range is replaced, with a line in the log.
import * as vscode from 'vscode';
import { limits, ranges } from '../shared/experiment';

export interface Settings {
  readonly location: 'process' | 'extensionHost';
  /** Path of an engine library, "" for the one that ships with the extension. */
  readonly library: string;
  /** 0: the engine decides. */
  readonly threads: number;
  readonly idleMinutes: number;
  /** As the user wrote it, "" for the default. */
  readonly reportsDirectory: string;
  readonly widths: readonly number[];
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
  /** Engage widths although the exactness gate declines them. */
  readonly allowInexact: boolean;
  /** Port of a served run, 0 for any free one. */
  readonly servePort: number;
  readonly inline: InlineSettings;
}

export interface InlineSettings {
  /** Language ids in which ghost text is offered; "*" for all. */
  readonly languages: readonly string[];
  /** Pause in typing before a request. */
  readonly delayMs: number;
  /** What has come by then is offered. */
  readonly longestMs: number;
  readonly maxTokens: number;
}

/** `warn` hears of every value that was replaced. */
export function readSettings(warn: (sentence: string) => void): Settings {
  const section = vscode.workspace.getConfiguration('moire');
  const read = new Reader(section, warn);
  return {
    location: section.get('engine.location') === 'extensionHost' ? 'extensionHost' : 'process',
    library: libraryOfUser(section),
    threads: read.integer('engine.threads', 0, ranges.threads.max),
    idleMinutes: read.integer('engine.idleMinutes', 1, 240),
    reportsDirectory: read.path('reports.directory'),
    widths: read.widths('bisect.widths'),
    draws: read.integer('bisect.draws', ranges.draws.min, ranges.draws.max),
    promptLength: read.integer('bisect.promptLength', ranges.promptLength.min, ranges.promptLength.max),
    walk: read.integer('bisect.walk', ranges.walk.min, ranges.walk.max),
    allowInexact: section.get('speculation.allowInexact') === true,
    servePort: read.integer('serve.port', 0, 65_535),
    inline: {
      languages: read.names('inline.languages'),
      delayMs: read.integer('inline.delayMs', 0, 5000),
      longestMs: read.integer('inline.longestMs', 100, 60_000),
      maxTokens: read.integer('inline.maxTokens', 1, 1024),
    },
  };
}

/** A workspace never chooses native code, whatever scope the setting was given in it. */
function libraryOfUser(section: vscode.WorkspaceConfiguration): string {
  const value: unknown = section.inspect('engine.library')?.globalValue;
  return typeof value === 'string' && value.length <= 4096 ? value.trim() : '';
}

class Reader {
  constructor(
    private readonly section: vscode.WorkspaceConfiguration,
    private readonly warn: (sentence: string) => void,
  ) {}

  integer(name: string, min: number, max: number): number {
    const value: unknown = this.section.get(name);
    if (typeof value !== 'number' || !Number.isFinite(value)) return this.replaced(name, value, this.section.inspect<number>(name)?.defaultValue ?? min);
    const clamped = Math.min(max, Math.max(min, Math.round(value)));
    return clamped === value ? value : this.replaced(name, value, clamped);
  }

  path(name: string): string {
    const value: unknown = this.section.get(name);
    const usable = typeof value === 'string' && value.length <= 4096 && !value.includes('\0');
    return usable ? value.trim() : this.replaced(name, value, this.section.inspect<string>(name)?.defaultValue ?? '');
  }

  widths(name: string): readonly number[] {
    const value: unknown = this.section.get(name);
    const usable = Array.isArray(value) ? [...new Set(value.filter(isWidth))].slice(0, limits.widths) : [];
    if (usable.length === 0) return this.replaced(name, value, this.section.inspect<readonly number[]>(name)?.defaultValue ?? [2]);
    return Array.isArray(value) && value.length === usable.length ? usable : this.replaced(name, value, usable);
  }

  names(name: string): readonly string[] {
    const value: unknown = this.section.get(name);
    const names = Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one.length <= 100).slice(0, 200) : [];
    return Array.isArray(value) && value.length === names.length ? names : this.replaced(name, value, names);
  }

  private replaced<T>(name: string, value: unknown, used: T): T {
    this.warn(`The setting moire.${name} has a value out of its limits (${JSON.stringify(value ?? null).slice(0, 80)}); ${JSON.stringify(used)} is used instead.`);
    return used;
  }
}

function isWidth(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 2 && (value as number) <= limits.width;
}
