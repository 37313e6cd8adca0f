// Report <-> text. Reading never throws: a file that cannot be shown gives what is wrong, where, and what to do.
import { z } from 'zod';
import { formatBytes } from './format';
import { firstIssue } from './issues';
import { Report, reportFormat, reportVersion } from './report';

/** Larger files are refused before they are read. */
export const maxReportBytes = 256 * 1024 * 1024;

export interface ReportProblem {
  readonly title: string;
  readonly detail: string;
  readonly action: string;
}

export type ParsedReport = { readonly ok: true; readonly report: Report } | { readonly ok: false; readonly problem: ReportProblem };

const failed = (title: string, detail: string, action: string): ParsedReport => ({ ok: false, problem: { title, detail, action } });

/** The problem of a file of that size, null when it may be read. */
export function reportTooLarge(bytes: number): ReportProblem | null {
  if (bytes <= maxReportBytes) return null;
  return {
    title: 'This report is too large to open',
    detail: `The file has ${formatBytes(bytes)}; reports are read up to ${formatBytes(maxReportBytes)}.`,
    action: 'Run the experiment again with fewer widths, a shorter walk or fewer draws.',
  };
}

const Head = z.object({ format: z.literal(reportFormat), version: z.int().min(1) });

function parseJson(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads a report. `text` may hold anything. */
export function parseReport(text: string): ParsedReport {
  const json = parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
  if ('fault' in json) return failed('This file is not a Moire report', `It is not JSON: ${clip(json.fault)}.`, 'Open a file that Moire saved, or run the experiment again. A file that was cut off while it was copied has to be copied again.');
  const head = Head.safeParse(json.value);
  if (!head.success) return failed('This file is not a Moire report', `It is JSON, but not a document with "format": "${reportFormat}" and a version.`, 'Open a file that Moire saved; their names end in .moire.json.');
  if (head.data.version > reportVersion) {
    return failed('This report was written by a newer Moire', `It has version ${head.data.version}; this Moire reads up to version ${reportVersion}.`, 'Update Moire.');
  }
  const report = Report.safeParse(json.value);
  if (report.success) return { ok: true, report: report.data };
  const { place, message } = firstIssue(report.error);
  return failed('This report is damaged', `${place === '' ? 'The document' : place}: ${clip(message)}.`, 'Run the experiment again, or open the file as text and look at that place.');
}

/** A message may quote the file, which may hold anything of any length. */
function clip(message: string): string {
  const line = message.replace(/\s+/g, ' ').replace(/\.$/, '');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/**
 * The bytes of a report: keys in the order of the schema, names of records sorted, one line a column, so that equal reports are equal files.
 * Throws a ZodError for a report that does not follow the schema.
 */
export function serialiseReport(report: Report): string {
  return `${write(sortRecords(Report.parse(report)), '')}\n`;
}

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

/** JSON Schema shapes keep their order; free-form records get one here. */
function sortRecords(report: Report): Report {
  const provenance = { ...report.provenance, switchesA: sorted(report.provenance.switchesA), switchesB: sorted(report.provenance.switchesB) };
  const run = { ...report.run, cost: sorted(report.run.cost) };
  const experiment = report.experiment.kind === 'bisect' ? { ...report.experiment, switches: sorted(report.experiment.switches) } : report.experiment;
  if (report.kind === 'diff') return { ...report, experiment, provenance, run };
  const runs = report.bisect.runs.map((one) => ({ ...one, tapsCompared: sorted(one.tapsCompared) }));
  return { ...report, experiment, provenance, run, bisect: { ...report.bisect, runs } };
}

const isLeaf = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** JSON with one line for a list of plain values and one line a key for the rest. */
function write(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.every(isLeaf)) return JSON.stringify(value);
    return `[\n${value.map((item) => inner + write(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.every(([, item]) => isLeaf(item))) return JSON.stringify(value);
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${write(item, inner)}`).join(',\n')}\n${indent}}`;
}
