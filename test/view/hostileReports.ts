// Reports that no probe writes but that a file may hold: each is made from an honest one, so that only what is odd about it is odd.
import { expect } from 'vitest';
import type { BisectReport, Report, ReportOf } from '../../src/shared/report';
import type { ViewHarness, ViewPage } from './harness';
import { settled } from './page';
import { bisectReport, bisectRun } from './reports';
import { speculationReports } from './speculationReports';

export type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };

/** A copy of the kept report of a kind, changed. */
export function realReport<K extends Report['kind']>(kind: K, change: (report: Mutable<ReportOf<K>>) => void): ReportOf<K> {
  const report = structuredClone(speculationReports().find((one): one is ReportOf<K> => one.kind === kind));
  if (report === undefined) throw new Error(`There is no report of ${kind}.`);
  change(report);
  return report;
}

type Run = Mutable<BisectReport['bisect']['runs'][number]>;

/** A bisect of one run of two layers, changed. */
export function bisectOf(change: (run: Run) => void): BisectReport {
  const run = structuredClone(bisectRun({ seed: 1, layers: 2, width: 2, first: null }));
  change(run);
  return bisectReport([run]);
}

/** Of a page: as long as nothing in it goes on for ever this is plenty. */
export const patience = 15_000;

/** Shows a report, or its problem, and fails where the page does not answer in time. */
export async function shownInTime(harness: ViewHarness, report: Report, { width = 1200, milliseconds = patience } = {}): Promise<ViewPage> {
  const view = await harness.open({ width });
  const begun = performance.now();
  await inTime(view.send({ type: 'report', report, fileName: 'odd.moire.json' }), milliseconds);
  await view.page.locator('main.report, [role=alert]').first().waitFor({ timeout: milliseconds });
  await inTime(settled(view.page), milliseconds);
  expect(performance.now() - begun).toBeLessThan(milliseconds);
  return view;
}

export async function inTime<T>(work: Promise<T>, milliseconds = patience): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(`The page does not answer within ${milliseconds} ms.`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** How many nodes the page has. */
export const nodesOf = ({ page }: ViewPage): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);
