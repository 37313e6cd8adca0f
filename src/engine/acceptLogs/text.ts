// Pieces of log lines: quotes, key=value fields, lists, printed ratios.
import { limits } from './reader';

/** A copy of its own: a slice of a line keeps the whole chunk of the file in memory that it was cut from. */
export function own(text: string): string {
  return Buffer.from(text).toString();
}

/** A text as a finding quotes it. */
export function quoteOf(text: string): string {
  const line = text.slice(0, 4 * limits.quote).trim();
  return own(line.length > limits.quote ? `${line.slice(0, limits.quote)}…` : line);
}

/** The text behind `anchor`, at most `length` characters of it: what a pattern is tried on stays short whatever the line is. */
export function after(text: string, anchor: string, length = 4096): string {
  const at = text.indexOf(anchor);
  return at < 0 ? '' : text.slice(at + anchor.length, at + anchor.length + length);
}

/** "a=1 b=[2, 3] c=\"x y\"". Values stay text; the first of two equal names counts. The look-behind keeps a word without end from being tried at each of its letters. */
export function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/(?<![\w/])([\w/]+)=(\[[^\]]*\]?|"[^"]*"?|[^\s,]+)/g)) if (!fields.has(name)) fields.set(name, value);
  return fields;
}

/** "[1, 2]" -> ["1", "2"]; null where the closing bracket is missing. */
export function listOf(text: string | undefined): string[] | null {
  if (text?.startsWith('[') !== true || !text.endsWith(']')) return null;
  const inner = text.slice(1, -1).trim();
  return inner === '' ? [] : inner.split(',').map((item) => item.trim());
}

/** A printed ratio and how far its last digit lets the true value be. */
export interface Ratio {
  readonly value: number;
  readonly tolerance: number;
}

const decimalsOf = (text: string): number => (/e/i.test(text) ? 2 : (text.split('.')[1]?.length ?? 0));

/**
 * "0.467", 0.467 or "46.7%" as a share, with a unit of its last digit as tolerance (some print rounded, some cut).
 * A JSON number does not show zeros at its end: two decimals at least are taken as printed.
 */
export function ratioOf(value: unknown): Ratio | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const [, number] = /^([+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?)%?$/i.exec(text) ?? [];
  if (number === undefined) return null;
  const scale = text.endsWith('%') ? 0.01 : 1;
  const parsed = Number(number);
  if (!Number.isFinite(parsed)) return null;
  const decimals = typeof value === 'number' ? Math.max(2, decimalsOf(number)) : decimalsOf(number);
  return { value: parsed * scale, tolerance: Math.max(1.01 * scale * 10 ** -decimals, 1e-9 * Math.max(1, Math.abs(parsed * scale))) };
}

export function isNear(ratio: Ratio, value: number, slack = 1): boolean {
  return Math.abs(ratio.value - value) <= ratio.tolerance * slack;
}

/** "(0.700, 0.500)" or "0.700, 0.500" */
export function ratiosOf(text: string): Ratio[] {
  return text.replace(/[()]/g, '').split(',').map((item) => ratioOf(item)).filter((item) => item !== null);
}

/**
 * The one whole number n with n * unit = total, where unit is a printed ratio: rounds from a mean length. Null where several would fit.
 */
export function wholeFrom(total: number, unit: Ratio): number | null {
  const half = unit.tolerance / 2;
  if (unit.value <= half) return null;
  const low = Math.ceil(total / (unit.value + half) - 1e-9);
  const high = Math.floor(total / (unit.value - half) + 1e-9);
  return low === high ? low : null;
}

/** "a: 1, b c: 2" cut at `separator`, as a map of its labels. */
export function labelled(text: string, separator: RegExp | string): Map<string, string> {
  const pairs = text.split(separator).map((part): [string, string] => {
    const at = part.indexOf(': ');
    return at < 0 ? [part.trim(), ''] : [part.slice(0, at).trim(), part.slice(at + 2).trim()];
  });
  return new Map(pairs);
}

/** "640." and "66 tokens" -> "640", "66" */
export function leadingNumber(text: string | undefined): string | undefined {
  return text === undefined ? undefined : /^[+-]?[\w.+-]*\w/.exec(text)?.[0];
}
