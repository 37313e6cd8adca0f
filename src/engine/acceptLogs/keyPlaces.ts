// Where the objects of a JSON document stand: JSON.parse does not tell, so the keys are looked for in the text, in its order.
import { limits, type LogLine } from './reader';

interface Cursor {
  readonly at: number;
  readonly line: number;
}

const beginning: Cursor = { at: 0, line: 1 };

export class KeyPlaces {
  private readonly cursors = new Map<string, Cursor>();

  constructor(private readonly text: string) {}

  /** The next `"key"` behind the last one: its line, and the text from there on. */
  next(key: string): LogLine {
    const { at, line } = this.cursors.get(key) ?? beginning;
    const found = this.text.indexOf(`"${key}"`, at);
    if (found < 0) return { number: line, text: '' };
    let number = line;
    for (let end = this.text.indexOf('\n', at); end >= 0 && end < found; end = this.text.indexOf('\n', end + 1)) number += 1;
    this.cursors.set(key, { at: found + 1, line: number });
    return { number, text: this.text.slice(found, found + 4 * limits.quote).replace(/\s+/g, ' ') };
  }
}
