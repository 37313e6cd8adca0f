// What comes from files (names, tokens, paths, messages) on a terminal: as text, never as commands to it.

/** Control characters, marks that turn the direction of writing, separators of lines, halves of characters. */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** "a\u001b[31m" -> "a\\u001b[31m": one line, and nothing in it moves the cursor or changes colours. */
export function printable(text: string): string {
  return text.replace(unsafe, (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As printable, of a text that has lines of its own. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A document with every text in it made printable; its own keys stay. */
export function printableDocument<T>(document: T): T {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return printable(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, walk(field)]));
  };
  return walk(document) as T;
}
