// Some values of a JSON text of which only the beginning is there.

export type Scalar = string | number | boolean | null;

export interface Scanned {
  /** By path: "verdict.word". Of a key that comes twice the last counts, as JSON has it. */
  readonly values: ReadonlyMap<string, Scalar>;
  /** Lists of wanted keys, without what is no number, cut. */
  readonly numbers: ReadonlyMap<string, readonly number[]>;
  /** Keys of the outermost object whose values are objects or lists and stand there whole. */
  readonly closed: ReadonlySet<string>;
  /** Whether the text begins as an object does. */
  readonly object: boolean;
}

/** A string without its quotes, a sign, or a bare word. */
const tokens = /\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([{}[\]:,])|([^\s{}[\]:,"]+))/gsy;

/** Keys that stand deeper are counted and not kept: a text of nothing but brackets is as good as any. */
const deepest = 4;

/** Of a list; more are passed over. */
const mostNumbers = 64;

/**
 * Values of the keys in `wanted`, as far as `text` goes; an entry that ends in ".*" stands for all keys below. Of lists only numbers directly in them are kept.
 * The grammar is not checked: who needs that parses the whole text.
 */
export function scanHead(text: string, wanted: ReadonlySet<string>): Scanned {
  const scan = new Scan(wanted);
  for (const [, quoted, sign, bare] of text.matchAll(tokens)) {
    if (sign !== undefined) scan.sign(sign);
    else if (quoted !== undefined) scan.text(quoted);
    else scan.value(plain(bare ?? ''));
    if (scan.ended) break;
  }
  return { values: scan.values, numbers: scan.numbers, closed: scan.closed, object: /^\s*\{/.test(text) };
}

class Scan {
  readonly values = new Map<string, Scalar>();
  readonly numbers = new Map<string, number[]>();
  readonly closed = new Set<string>();
  ended = false;
  private depth = 0;
  /** Depth of the outermost list that is open, 0 for none. */
  private list = 0;
  /** Keys down to here; the last is that of the value which comes next. */
  private readonly keys: string[] = [];
  private named = false;
  private readonly below: readonly string[];

  constructor(private readonly wanted: ReadonlySet<string>) {
    this.below = [...wanted].filter((name) => name.endsWith('.*')).map((name) => name.slice(0, -1));
  }

  sign(sign: string): void {
    if (sign === ':') return;
    const names = this.looks && this.named;
    this.named = false;
    if (sign === '{' || sign === '[') {
      this.depth += 1;
      if (sign === '[' && this.list === 0) {
        this.list = this.depth;
        if (names && this.wants(this.path(this.depth - 1))) this.numbers.set(this.path(this.depth - 1), []);
      }
    } else if (sign !== ',') {
      if (this.list === this.depth) this.list = 0;
      this.depth -= 1;
      if (this.depth === 1) this.closed.add(this.path(1));
      this.ended = this.depth <= 0;
    }
  }

  /** A key, or a value that is text. */
  text(inside: string): void {
    if (this.named) return this.value(unquoted(inside));
    if (!this.looks) return;
    this.keys[this.depth - 1] = unquoted(inside);
    this.named = true;
  }

  value(value: Scalar): void {
    if (typeof value === 'number' && this.list > 0 && this.list === this.depth) this.number(value);
    if (!this.looks || !this.named) return;
    const name = this.path(this.depth);
    if (this.wants(name)) this.values.set(name, value);
  }

  private number(value: number): void {
    const numbers = this.numbers.get(this.path(this.depth - 1));
    if (numbers !== undefined && numbers.length < mostNumbers) numbers.push(value);
  }

  private path(depth: number): string {
    return this.keys.slice(0, depth).join('.');
  }

  private wants(name: string): boolean {
    return this.wanted.has(name) || this.below.some((start) => name.startsWith(start));
  }

  private get looks(): boolean {
    return this.list === 0 && this.depth > 0 && this.depth <= deepest;
  }
}

function unquoted(inside: string): string {
  if (!inside.includes('\\')) return inside;
  try {
    return String(JSON.parse(`"${inside}"`));
  } catch {
    return inside;
  }
}

function plain(word: string): Scalar {
  if (word === 'true' || word === 'false') return word === 'true';
  const number = Number(word);
  return Number.isNaN(number) ? null : number;
}
