// What a ghost text is asked with, and what is left of an answer when it is offered. Pure, so that it can be tested without an editor.

/** Characters around the cursor that a request has. */
const before = 6000;
const after = 1000;
/** The text before begins at a line after a multiple of so many characters, so that it stays the same while one types, and the state of the last request can be taken up. */
const step = 2000;

export interface Around {
  readonly prefix: string;
  readonly suffix: string;
}

/** The part of a document that a cursor at `offset` needs. */
export function windowOf(offset: number): { readonly from: number; readonly to: number } {
  return { from: Math.floor(Math.max(0, offset - before) / step) * step, to: offset + after };
}

/** `text`: of the window, `cursor`: in it. In the midst of a document it begins at a whole line, where there is one. */
export function around(text: string, cursor: number, isBegin: boolean): Around {
  const line = isBegin ? 0 : text.indexOf('\n') + 1;
  return { prefix: text.slice(line > cursor ? 0 : line, cursor), suffix: text.slice(cursor) };
}

/** Text on the cursor's own line behind it ends an answer at the line; else at an empty line. */
export const stopsFor = ({ suffix }: Around): string[] => (/^[^\S\n]*\S/.test(suffix) ? ['\n'] : ['\n\n\n']);

/** What is worth offering: no blank end, nothing that stands behind the cursor already. "" for nothing. */
export function offered(answer: string, { suffix }: Around): string {
  const text = answer.replace(/\s+$/, '');
  if (text.trim() === '') return '';
  const behind = suffix.trimStart();
  for (let length = Math.min(text.length, behind.length); length > 2; length -= 1) {
    if (text.endsWith(behind.slice(0, length))) return text.slice(0, text.length - length).replace(/\s+$/, '');
  }
  return text;
}

export interface Earlier {
  readonly document: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly text: string;
}

/** The rest of an earlier offer, when what was typed since is its beginning; null when it is not. */
export function restOf(earlier: Earlier | null, document: string, { prefix, suffix }: Around): string | null {
  if (earlier?.document !== document || earlier.suffix !== suffix || !prefix.startsWith(earlier.prefix)) return null;
  const typed = prefix.slice(earlier.prefix.length);
  return earlier.text.startsWith(typed) && earlier.text.length > typed.length ? earlier.text.slice(typed.length) : null;
}
