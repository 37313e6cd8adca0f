// Collects what the readers find and makes the capture of it. Numbers are checked here, so no reader believes one.
import type { Capture, CapturedInterval, CapturedRequest, CapturedRound, Decline, Fact, Facts, Finding, FormatSeen, Grade, ProbeVerdict } from '../../shared/capture';
import { badInput } from '../problem';
import type { Burst } from './burst';
import { countViolations, type Violation } from './countAlgebra';
import { countsOf, type Stated } from './counts';
import { LogprobWatch } from './logprobs';
import { limits, type Format, type LogLine } from './reader';
import { own, quoteOf } from './text';

export interface NewRequest extends Partial<Pick<CapturedRequest, 'request' | 'kind' | 'complete' | 'reason' | 'interleaved' | 'rounds' | 'firstBonus' | 'emittedIds' | 'promptIds' | 'flags' | 'facts'>> {
  readonly format: Format;
  /** Another grade than the format's, where this request lacks something. */
  readonly grade?: Grade;
  readonly stated: Stated;
  readonly at: LogLine;
  /** Its rounds were checked one by one, each at its own line. */
  readonly roundsChecked?: boolean;
}

export interface NewInterval {
  readonly format: Format;
  readonly scope?: string;
  readonly stated: Stated;
  readonly at: LogLine;
  readonly facts?: Facts;
}

type Said = Pick<CapturedRequest, 'request' | 'complete' | 'reason' | 'interleaved' | 'firstBonus' | 'emittedIds' | 'promptIds' | 'flags' | 'facts'>;

/** What a reader says of a request, and what holds where it says nothing. */
function saidOf({ request, complete, reason, interleaved, firstBonus, emittedIds, promptIds, flags, facts }: Partial<Said>): Said {
  return {
    request: typeof request === 'string' ? own(request) : null,
    complete: complete ?? true,
    reason: reason ?? '',
    interleaved: interleaved ?? false,
    firstBonus: firstBonus ?? null,
    emittedIds: emittedIds ?? null,
    promptIds: promptIds ?? null,
    flags: flags ?? [],
    facts: facts ?? {},
  };
}

const worst = 'E';
const rank = (grade: Grade | null): string => grade ?? worst;

/** One number where all blocks have it. */
function uniform(values: readonly (number | null)[]): number | null {
  const [first = null] = values;
  return values.every((value) => value === first) ? first : null;
}

/** The rounds of a vector without ids. */
function roundsOf(accepted: readonly number[], drafted: readonly number[] | null, line: number | null): CapturedRound[] {
  return accepted.map((value, index) => ({ index, width: drafted?.[index] === undefined ? null : drafted[index] + 1, bonus: null, drafts: null, targets: null, accepted: value, emitted: null, line }));
}

/** A whole number in plain digits, -1 for all else: the common case of long lists, without a pattern and without a name for a finding. */
function plainCount(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : -1;
  if (typeof value !== 'string' || value.length === 0 || value.length > 10) return -1;
  let number = 0;
  for (let i = 0; i < value.length; i += 1) {
    const digit = value.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = 10 * number + digit;
  }
  return number;
}

export class CaptureBuilder {
  readonly logprobs = new LogprobWatch();
  /** Formats with the line where each was first met. */
  private readonly seen = new Map<Format, number | null>();
  private readonly requests: CapturedRequest[] = [];
  /** Requests whose end was not read yet, by their rounds. */
  private readonly begun = new Map<readonly CapturedRound[], Burst>();
  private readonly intervals: CapturedInterval[] = [];
  private readonly declined: Decline[] = [];
  private readonly probes: ProbeVerdict[] = [];
  private readonly findings: Finding[] = [];
  private readonly kept = { violation: 0, note: 0 };
  private readonly dropped = { violation: 0, note: 0 };
  private readonly warnings = new Set<string>();
  private readonly facts: Record<string, Fact> = {};
  private readonly widths = new Map<Format, Set<number | null>>();
  private configured: number | null = null;
  private rounds = 0;
  private ids = 0;

  /** Source: the name of the file. Place: its path, for problems. */
  constructor(
    readonly source: string,
    private readonly place: string,
  ) {}

  get recognised(): boolean {
    return this.seen.size > 0;
  }

  /** A burst that got its first round; it is no longer open when its rounds come as a request. */
  begins(burst: Burst): void {
    this.begun.set(burst.rounds, burst);
  }

  /** What was found in a log of which nothing could be used. */
  get firstFinding(): Finding | null {
    return this.findings[0] ?? null;
  }

  saw(format: Format, at: LogLine): void {
    if (!this.seen.has(format)) this.seen.set(format, at.number);
  }

  /** Room for rounds and ids; a log with more of them than are kept ends the import. */
  reserve(rounds: number, ids: number): void {
    this.rounds += rounds;
    this.ids += ids;
    if (this.rounds <= limits.rounds && this.ids <= limits.ids) return;
    throw badInput(`This log holds more than ${limits.rounds} rounds or ${limits.ids} token ids`, this.place, 'Cut the part of interest out of it and import that');
  }

  private full(list: readonly unknown[]): void {
    if (list.length >= limits.entries) throw badInput(`This log holds more than ${limits.entries} requests, intervals or verdicts of one kind`, this.place, 'Cut the part of interest out of it and import that');
  }

  fact(name: string, value: Fact): void {
    this.facts[name] = typeof value === 'string' ? own(value) : value;
  }

  /** A sentence without its full stop. */
  warn(sentence: string): void {
    if (this.warnings.size < limits.findings) this.warnings.add(sentence);
  }

  find({ identity, sentence, round, severity }: Violation, at: LogLine): void {
    const kind = severity ?? 'violation';
    if (this.kept[kind] >= limits.findings) {
      this.dropped[kind] += 1;
      return;
    }
    this.kept[kind] += 1;
    this.findings.push({ severity: kind, identity, sentence, line: at.number, round: round ?? null, quote: quoteOf(at.text) });
  }

  /** A whole number from 0 to `most`. Null where there is none, and a finding where it is something else. */
  count(value: unknown, name: string, at: LogLine, most: number = Number.MAX_SAFE_INTEGER): number | null {
    if (value === undefined || value === null || value === 'None' || value === 'null') return null;
    const number = typeof value === 'number' ? value : typeof value === 'string' && /^[+-]?\d{1,20}(\.0*)?$/.test(value) ? Number(value) : NaN;
    if (Number.isInteger(number) && number >= 0 && number <= most) return number;
    this.find({ identity: 'numbers are counts', sentence: `${name} is ${quoteOf(JSON.stringify(value))}, not a whole number from 0 to ${most}` }, at);
    return null;
  }

  /** A list of counts or ids; null where one of them is none. */
  counts(values: readonly unknown[] | null | undefined, name: string, at: LogLine, most?: number): number[] | null {
    if (values === null || values === undefined) return null;
    const read: number[] = [];
    for (const [i, value] of values.entries()) {
      const plain = plainCount(value);
      if (plain >= 0 && plain <= (most ?? Infinity)) {
        read.push(plain);
        continue;
      }
      const number = value === null || value === undefined ? NaN : this.count(value, `${name}[${i}]`, at, most);
      if (number === null) return null;
      if (Number.isNaN(number)) return this.noNumber(`${name}[${i}]`, at);
      read.push(number);
    }
    // A list that grew keeps room for more; a copy has its own size, and a log may hold many.
    return read.slice();
  }

  private noNumber(name: string, at: LogLine): null {
    this.find({ identity: 'numbers are counts', sentence: `${name} is missing` }, at);
    return null;
  }

  idList(values: readonly unknown[] | null | undefined, name: string, at: LogLine): number[] | null {
    return this.counts(values, name, at, 0xffff_ffff);
  }

  request({ format, stated, at, roundsChecked, ...given }: NewRequest): void {
    this.full(this.requests);
    this.saw(format, at);
    const counts = countsOf(stated);
    for (const violation of countViolations(stated, counts, roundsChecked)) this.find(violation, at);
    if (given.rounds) this.begun.delete(given.rounds);
    if (given.rounds === undefined && counts.accepted !== null) this.reserve(counts.accepted.length, 0);
    const rounds = given.rounds ?? (counts.accepted === null ? null : roundsOf(counts.accepted, counts.drafted, at.number));
    this.noteWidth(format, stated.width ?? uniform(rounds?.map(({ width }) => width) ?? []));
    const kind = given.kind ?? (counts.roundCount === 0 ? 'warm-up' : 'served');
    const grade = given.grade ?? format.grade ?? 'D';
    const { request, complete, reason, interleaved, firstBonus, emittedIds, promptIds, flags, facts } = saidOf(given);
    // The one spread stands last: with it in front the objects are ten times as large and slow, and a log may hold many.
    this.requests.push({ ordinal: this.requests.length, request, format: format.id, kind, grade, complete, reason, interleaved, rounds, firstBonus, emittedIds, promptIds, flags, facts, line: at.number, ...counts });
  }

  interval({ format, scope = format.semantics.scope, stated, at, facts = {} }: NewInterval): void {
    this.full(this.intervals);
    this.saw(format, at);
    const counts = countsOf(stated);
    for (const violation of countViolations(stated, counts)) this.find(violation, at);
    this.noteWidth(format, stated.width ?? null);
    this.intervals.push({ ordinal: this.intervals.length, format: format.id, grade: format.grade ?? 'D', scope, facts, line: at.number, ...counts });
  }

  decline(decline: Decline): void {
    this.full(this.declined);
    this.declined.push(decline);
  }

  probe(verdict: ProbeVerdict): void {
    this.full(this.probes);
    this.probes.push(verdict);
  }

  /** The width that the log says it ran with: a last round that the budget cut is narrower, and a log without rounds has no other. */
  configuredWidth(width: number | null): void {
    this.configured = width;
  }

  private noteWidth(format: Format, width: number | null): void {
    const widths = this.widths.get(format) ?? new Set();
    if (widths.size < 3 && width !== null) widths.add(width);
    this.widths.set(format, widths);
  }

  private widthOf(format: Format): number | null {
    const widths = [...(this.widths.get(format) ?? [])];
    return widths.length === 0 ? this.configured : widths.length === 1 ? (widths[0] ?? null) : null;
  }

  private formats(): FormatSeen[] {
    return [...this.seen].map(([{ id, engine, title, grade }, firstLine]) => ({ id, engine, title, grade, firstLine }));
  }

  /** The format with the best grade, of those the one that stands first. */
  private main(): Format {
    const [main] = [...this.seen].sort(([a, lineA], [b, lineB]) => rank(a.grade).localeCompare(rank(b.grade)) || (lineA ?? 0) - (lineB ?? 0));
    if (main === undefined) throw new Error('no format was recognised');
    return main[0];
  }

  /** The best grade that a request or interval really has. */
  private grade(): Grade | null {
    let best: Grade | null = null;
    for (const list of [this.requests, this.intervals]) for (const { grade } of list) if (best === null || grade < best) best = grade;
    return best;
  }

  finish(bytes: number): Capture {
    for (const [kind, count] of Object.entries(this.dropped)) if (count > 0) this.warn(`${count} more findings (${kind}) are not listed`);
    return this.soFar(bytes);
  }

  /** Requests whose end was not read yet. */
  get open(): Iterable<Burst> {
    return this.begun.values();
  }

  /** What is known by now, while the log is still being read; the lists of it grow. At least one line must be recognised. */
  soFar(bytes: number): Capture {
    const main = this.main();
    return {
      source: this.source,
      bytes,
      engine: main.engine,
      format: main.id,
      formats: this.formats(),
      grade: this.grade(),
      semantics: { ...main.semantics, width: this.widthOf(main) },
      requests: this.requests,
      intervals: this.intervals,
      declined: this.declined,
      probes: this.probes,
      facts: this.facts,
      warnings: [...this.warnings],
      findings: this.findings.sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0),
    };
  }
}
