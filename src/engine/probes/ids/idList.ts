// A text as a list of token ids: whole numbers, a JSON list of them, or a JSON object that holds one.
import { formatCount } from '../../../shared/format';
import { idsLimits } from '../../../shared/experiment';
import { parseJson, isObject } from '../../acceptLogs/jsonText';
import { badInput, type Problem } from '../../problem';

const largest = 0xffff_ffff;
const action = `Write whole numbers from 0 to ${largest}: a JSON list such as [1, 2, 3], or numbers between spaces, commas or line breaks`;

/** Keys under which an object may hold its ids, in this order. */
const keys = ['ids', 'tokens'] as const;

const isId = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= largest;

const quoted = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
};

const atLine = (file: string, line: number): string => `${file}, line ${formatCount(line)}`;

const notAnId = (value: unknown, file: string, line: number): Problem => badInput(`${quoted(value)} is not a token id`, atLine(file, line), action);

const tooMany = (file: string): Problem => badInput(`This file holds more than ${formatCount(idsLimits.ids)} token ids`, file, 'Cut out the part of interest');

/** Line of the `index`-th entry of a flat list that opens at `open`: those before it are numbers, so that every comma ends one. */
function lineOf(text: string, open: number, index: number): number {
  let at = open + 1;
  for (let i = 0; i < index; i++) at = text.indexOf(',', at) + 1;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return text.slice(0, at).split('\n').length;
}

function checked(list: readonly unknown[], text: string, open: number, file: string): number[] {
  if (list.length > idsLimits.ids) throw tooMany(file);
  const wrong = list.findIndex((value) => !isId(value));
  if (wrong >= 0) throw notAnId(list[wrong], file, lineOf(text, open, wrong));
  return list as number[];
}

/** Digits and what separates them. Throws a Problem that names the line of the first that is none. */
function plain(text: string, file: string): number[] {
  const ids: number[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    for (const [word] of line.matchAll(/[^\s,]+/g)) {
      if (!/^\d{1,10}$/.test(word) || Number(word) > largest) throw notAnId(word, file, i + 1);
      if (ids.push(Number(word)) > idsLimits.ids) throw tooMany(file);
    }
  }
  return ids;
}

/** What JSON calls wrong it does not always place: the list is read as plain numbers to find the word. */
function brokenList(text: string, reason: string, file: string): Problem {
  try {
    plain(text.replace(/[[\]]/g, ' '), file);
  } catch (problem) {
    return problem as Problem;
  }
  return badInput(`This JSON list cannot be read: ${reason}`, file, action);
}

/**
 * Null: it is none, so it may be a log. Throws a Problem that names file and line for what begins as a list of ids and is none.
 * `text`: at most `idsLimits.bytes` of UTF-8.
 */
export function idsOf(text: string, file: string): number[] | null {
  const start = text.search(/\S/);
  const first = text[start] ?? '';
  if (/[\d+-]/.test(first)) return plainOrLog(text, file);
  if (first !== '[' && first !== '{') return null;
  const parsed = parseJson(text);
  if (first === '[') {
    if (!parsed.ok) return /^\[\s*\{/.test(text.slice(start)) ? null : raise(brokenList(text, parsed.reason, file));
    const list = parsed.value as readonly unknown[];
    return isObject(list[0]) ? null : checked(list, text, start, file);
  }
  // Several objects, one a line, are a log.
  if (!parsed.ok || !isObject(parsed.value)) return null;
  for (const key of keys) {
    const list = parsed.value[key];
    const open = new RegExp(`"${key}"\\s*:\\s*\\[`).exec(text);
    if (Array.isArray(list) && open !== null) return checked(list, text, open.index + open[0].length - 1, file);
  }
  return null;
}

/** Lines of a log may begin with a date. */
function plainOrLog(text: string, file: string): number[] | null {
  return /^\d{1,4}[-:T/]\d/.test(text.trimStart()) ? null : plain(text, file);
}

function raise(problem: Problem): never {
  throw problem;
}
