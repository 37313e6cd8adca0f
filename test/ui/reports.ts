// Reports of the opened workspace, from the disk.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { BisectReport, Report, ReportOf } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';

/** Names of the saved reports, oldest first. */
export function savedReports(workspace: string): string[] {
  const folder = path.join(workspace, '.moire');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.moire.json')).sort() : [];
}

export async function reportCount(workspace: string, count: number): Promise<void> {
  await expect.poll(() => savedReports(workspace).filter((name) => !name.includes('.partial.')).length, { timeout: 90_000, interval: 100 }).toBe(count);
}

/** The newest report of a kind. */
export function reportOf<K extends Report['kind']>(workspace: string, kind: K): { name: string; report: ReportOf<K> } {
  const name = savedReports(workspace).filter((one) => !one.includes('.partial.') && one.includes(`-${kind}-`)).at(-1);
  if (name === undefined) throw new Error(`no report of ${kind} was saved`);
  const read = readReport(readFileSync(path.join(workspace, '.moire', name), 'utf8'));
  if (!read.ok || read.report.kind !== kind) throw new Error(`${name} is no report of ${kind}`);
  return { name, report: read.report as ReportOf<K> };
}

export const lastReport = (workspace: string): { name: string; report: BisectReport } => reportOf(workspace, 'bisect');
