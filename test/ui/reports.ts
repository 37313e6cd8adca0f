// Reports of the opened workspace, from the disk.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { BisectReport } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';

/** Names of the saved reports, oldest first. */
export function savedReports(workspace: string): string[] {
  const folder = path.join(workspace, '.moire');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.moire.json')).sort() : [];
}

export async function reportCount(workspace: string, count: number): Promise<void> {
  await expect.poll(() => savedReports(workspace).filter((name) => !name.includes('.partial.')).length, { timeout: 90_000, interval: 100 }).toBe(count);
}

export function lastReport(workspace: string): { name: string; report: BisectReport } {
  const name = savedReports(workspace).filter((one) => !one.includes('.partial.')).at(-1);
  if (name === undefined) throw new Error('no report was saved');
  const read = readReport(readFileSync(path.join(workspace, '.moire', name), 'utf8'));
  if (!read.ok || read.report.kind !== 'bisect') throw new Error(`${name} is no bisect report`);
  return { name, report: read.report };
}
