// Where a report opens, and that a selection kept from before still points into it.
import type { BisectReport, BisectRun } from '../../shared/report';
import { gravest } from '../../shared/verdictWord';
import type { Selection } from '../../shared/viewProtocol';
import { tapsOfCell, indexOf } from './runIndex';

const inside = (value: number, length: number): number => (Number.isInteger(value) && value >= 0 && value < length ? value : 0);

/** The first differing tap of a cell, -1 when the cell is equal. */
export const firstTap = (run: BisectRun, row: number, position: number): number => tapsOfCell(indexOf(run), row, position)[0] ?? -1;

/** A run's first divergence, or its first cell. */
export function startOf(run: BisectRun): Pick<Selection, 'row' | 'position' | 'tap'> {
  const { row, position } = run.first ?? { row: 0, position: 0 };
  return { row, position, tap: firstTap(run, row, position) };
}

/** The first run of the gravest verdict. */
export function startSelection(report: BisectReport): Selection {
  const { runs } = report.bisect;
  const worst = gravest(runs.map((run) => run.verdict.word));
  const index = Math.max(0, runs.findIndex((run) => run.verdict.word === worst));
  const run = runs[index];
  return { run: index, measure: 'bytes', ...(run ? startOf(run) : { row: 0, position: 0, tap: -1 }) };
}

export function clampSelection(report: BisectReport, selection: Selection): Selection {
  const index = inside(selection.run, report.bisect.runs.length);
  const run = report.bisect.runs[index];
  if (!run) return startSelection(report);
  const row = inside(selection.row, run.rows.length);
  const position = inside(selection.position, run.cells.positions);
  const tap = tapsOfCell(indexOf(run), row, position).includes(selection.tap) ? selection.tap : firstTap(run, row, position);
  return { ...selection, run: index, row, position, tap };
}
