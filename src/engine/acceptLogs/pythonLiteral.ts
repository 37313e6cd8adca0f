// The repr of a Python dict as a log prints it: single quotes, True, None, nan. What is not a literal (an object, a cut text) becomes null.

const deepest = 50;

/** Reads the literal that begins at `from`; null where there is none. Never throws. */
export function readPython(text: string, from = 0): unknown {
  return new Reader(text, from).value(0);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const words: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };

class Reader {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  value(depth: number): unknown {
    this.skip();
    const character = this.text[this.at];
    if (depth > deepest) return null;
    if (character === '{') return this.dict(depth);
    if (character === '[' || character === '(') return this.list(character === '[' ? ']' : ')', depth);
    if (character === "'" || character === '"') return this.string(character);
    return this.word();
  }

  private skip(): void {
    while (this.text[this.at] === ' ') this.at += 1;
  }

  /** Steps over a comma; false at the end of the list. */
  private more(end: string): boolean {
    this.skip();
    if (this.text[this.at] === ',') this.at += 1;
    this.skip();
    if (this.text[this.at] === end) {
      this.at += 1;
      return false;
    }
    return this.at < this.text.length;
  }

  private dict(depth: number): Record<string, unknown> {
    const fields: [string, unknown][] = [];
    this.at += 1;
    while (this.more('}')) {
      const before = this.at;
      const key = this.value(depth + 1);
      this.skip();
      if (this.text[this.at] === ':') {
        this.at += 1;
        fields.push([String(key), this.value(depth + 1)]);
      }
      if (this.at === before) this.at += 1;
    }
    return Object.fromEntries(fields);
  }

  private list(end: string, depth: number): unknown[] {
    const items: unknown[] = [];
    this.at += 1;
    while (this.more(end)) {
      const before = this.at;
      items.push(this.value(depth + 1));
      if (this.at === before) this.at += 1;
    }
    return items;
  }

  private string(quote: string): string {
    let text = '';
    for (this.at += 1; this.at < this.text.length && this.text[this.at] !== quote; this.at += 1) {
      if (this.text[this.at] === '\\') {
        this.at += 1;
        text += escapes[this.text[this.at] ?? ''] ?? this.text[this.at] ?? '';
      } else text += this.text[this.at] ?? '';
    }
    this.at += 1;
    return text;
  }

  private word(): unknown {
    const start = this.at;
    while (this.at < this.text.length && !',:]})'.includes(this.text[this.at] ?? ',')) this.at += 1;
    const word = this.text.slice(start, this.at).trim();
    if (word in words) return words[word];
    const number = Number(word);
    return word === '' || Number.isNaN(number) ? null : number;
  }
}
