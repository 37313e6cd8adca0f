// A report as a file: text out, validated report in. A report may come from anywhere, so nothing in it is believed before it was checked.
import { z } from 'zod';
import { parseBounded } from './boundedJson';
import { Report, reportFormat, reportVersion } from './report';
import { inconsistency } from './reportConsistency';

/** A larger file is refused before it is read: the page and the extension host would hold it several times over. */
export const reportBytesLimit = 128 * 1024 * 1024;

/** A diff of 150,000 tensors has as many objects, the switches of an arm some dozen names. */
const jsonLimits = { depth: 64, containers: 2_000_000, names: 10_000 } as const;

/** The library collects the fault of every entry: a file with nothing but wrong ones would cost gigabytes. Lists and objects stop at the first. */
const firstFault: z.core.ParseContext<z.core.$ZodIssue> & { abortEarly: boolean } = { abortEarly: true };

export interface Unreadable {
  readonly title: string;
  readonly detail: string;
  readonly action: string;
}

export type ReadReport = { readonly ok: true; readonly report: Report } | { readonly ok: false; readonly problem: Unreadable };

/**
 * The text of a report file. Keys stand in the order of the schema and names of free records are sorted, so that equal reports are equal files.
 * Indented by one, but a list of plain values stays on one line: readable as text, and not one line an element.
 * Throws for a report that does not follow the schema: nothing is saved that could not be opened again.
 */
export function formatReport(report: Report): string {
  const parsed = Report.parse(report);
  const fault = inconsistency(parsed);
  if (fault !== '') throw new Error(`this report would not open again: ${fault}`);
  return formatUnchecked(parsed);
}

/** As formatReport, for a report that is known to follow the schema: several times as fast. */
export function formatUnchecked(report: Report): string {
  return `${format(report, '', '')}\n`;
}

/** Fields whose keys are names of the user's or the engine's; the schema orders all others. */
const records = new Set(['switches', 'switchesA', 'switchesB', 'cost', 'tapsCompared']);

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0);

function format(value: unknown, indent: string, name: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object' || item === null)) return JSON.stringify(value);
    return `[\n${value.map((item) => inner + format(item, inner, '')).join(',\n')}\n${indent}]`;
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return '{}';
  const ordered = records.has(name) ? fields.sort(byName) : fields;
  return `{\n${ordered.map(([key, field]) => `${inner}${JSON.stringify(key)}: ${format(field, inner, key)}`).join(',\n')}\n${indent}}`;
}

export function readReport(text: string): ReadReport {
  const document = parseBounded(text, jsonLimits);
  if (!document.ok) return unreadable('This file is not a report: it is not JSON, or more of it than a report has', document.reason, 'Open it as text to see what it holds.');
  const header = z.object({ format: z.literal(reportFormat), version: z.number() }).safeParse(document.value);
  if (!header.success) {
    return unreadable('This JSON file is not a Moire report', `It has no "format": "${reportFormat}" with a version.`, 'Open it as text to see what it holds.');
  }
  if (header.data.version > reportVersion) {
    const detail = `It has version ${header.data.version}; this extension reads up to version ${reportVersion}.`;
    return unreadable('This report was written by a newer version of Moire', detail, 'Update the extension, then open the report again.');
  }
  const parsed = Report.safeParse(document.value, firstFault);
  if (!parsed.success) return malformed(describe(parsed.error));
  const fault = inconsistency(parsed.data);
  return fault === '' ? { ok: true, report: parsed.data } : malformed(fault);
}

export function tooLarge(bytes: number): Unreadable {
  const mib = (n: number): string => (n / 1024 / 1024).toFixed(0);
  return {
    title: 'This report is too large to open',
    detail: `It has ${mib(bytes)} MiB; at most ${mib(reportBytesLimit)} MiB are opened.`,
    action: 'Run the experiment again with fewer widths or a shorter walk.',
  };
}

function malformed(detail: string): ReadReport {
  return unreadable('This report is damaged or was changed by hand', detail, 'Run the experiment again, or open the report as text and mend that place.');
}

function unreadable(title: string, detail: string, action: string): ReadReport {
  return { ok: false, problem: { title, detail, action } };
}

function describe(error: z.ZodError): string {
  const [first] = error.issues;
  if (first === undefined) return 'Its shape is wrong.';
  return `At ${first.path.map(String).join('.') || 'the top'}: ${first.message}.`;
}
