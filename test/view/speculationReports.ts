// One real report of every probe over speculation, made by the command line on the sample pair and kept as files: the view needs no engine.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readReport } from '../../src/shared/reportFile';
import type { Report } from '../../src/shared/report';

const folder = path.join(import.meta.dirname, '../fixtures/reports');

/** Throws for a file that the product's own reader refuses: the fixtures follow the schema. */
export function speculationReports(): Report[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.moire.json'))
    .sort()
    .map((name) => {
      const read = readReport(readFileSync(path.join(folder, name), 'utf8'));
      if (!read.ok) throw new Error(`${name}: ${read.problem.detail}`);
      return read.report;
    });
}
