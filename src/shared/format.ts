// Numbers and lists as people read them; the same in the CLI, the sentences of a report and the view.
import type { Float } from './report';

const grouped = new Intl.NumberFormat('en-US');

/** 12345 -> "12,345" */
export function formatCount(value: number): string {
  return grouped.format(value);
}

/** "1 byte", "2,048 bytes" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** 1536 -> "1.5 kB"; steps of 1000. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? String(value) : value.toFixed(value < 10 ? 2 : 1)} ${units[unit] ?? 'TB'}`;
}

/** Up to `digits` significant digits; NaN and infinities by name. */
export function formatFloat(value: Float, digits = 4): string {
  if (typeof value === 'string') return value;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(digits)));
}

export function formatMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** "2", "2 and 4", "2, 4 and 8" */
export function formatList(items: readonly (string | number)[]): string {
  const texts = items.map(String);
  const last = texts.pop();
  if (last === undefined) return '';
  return texts.length === 0 ? last : `${texts.join(', ')} and ${last}`;
}

/** "width 8", "widths 2, 3 and 4" */
export const formatWidths = (widths: readonly number[]): string => `${widths.length === 1 ? 'width' : 'widths'} ${formatList(widths)}`;

/** First letter large, for a sentence made of parts. */
export function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Rows of cells as text with aligned columns; columns named in `right` are set to the right. */
export function formatTable(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  // Not Math.max(...): a list of a hundred thousand rows is more than a call takes as arguments.
  const widths: number[] = [];
  for (const row of rows) for (const [c, cell] of row.entries()) widths[c] = Math.max(widths[c] ?? 0, cell.length);
  return rows.map((row) => row.map((cell, c) => (right.has(c) ? cell.padStart(widths[c] ?? 0) : cell.padEnd(widths[c] ?? 0))).join('  ').trimEnd());
}
