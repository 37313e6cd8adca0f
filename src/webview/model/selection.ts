// Where a report opens, and that a selection kept from before still points into it.
import type { Report } from '../../shared/report';
import { gravest } from '../../shared/verdictWord';
import type { Selection } from '../../shared/viewProtocol';
import type { Cell } from './grid';
import { mappedRuns, type MappedRun } from './grids';

const inside = (value: number, length: number): number => (Number.isInteger(value) && value >= 0 && value < length ? value : 0);

/** A cell, with the first of its taps, -1 when it is equal. */
export const at = (run: MappedRun, { row, position }: Cell): Pick<Selection, 'row' | 'position' | 'tap'> => ({ row, position, tap: run.taps({ row, position })[0] ?? -1 });

/** A run's first divergence, or its first cell. */
export const startOf = (run: MappedRun): Pick<Selection, 'row' | 'position' | 'tap'> => at(run, run.grid?.first ?? { row: 0, position: 0 });

/** The measure that is asked for where the map has it, else its first. */
function measureOf({ grid }: MappedRun, asked: Selection['measure']): Selection['measure'] {
  const known = grid?.measures ?? [];
  return known.some(({ name }) => name === asked) ? asked : (known[0]?.name ?? asked);
}

/** The first run of the gravest verdict. */
export function startSelection(report: Report): Selection {
  const runs = mappedRuns(report);
  const worst = gravest(runs.map(({ word }) => word));
  const index = Math.max(0, runs.findIndex(({ word }) => word === worst));
  const run = runs[index];
  return run ? { run: index, measure: measureOf(run, 'bytes'), ...startOf(run) } : { run: 0, row: 0, position: 0, tap: -1, measure: 'bytes' };
}

export function clampSelection(report: Report, selection: Selection): Selection {
  const runs = mappedRuns(report);
  const index = inside(selection.run, runs.length);
  const run = runs[index];
  if (!run) return startSelection(report);
  const cell = { row: inside(selection.row, run.grid?.rows.length ?? 1), position: inside(selection.position, run.grid?.positions ?? 1) };
  const tap = run.taps(cell).includes(selection.tap) ? selection.tap : at(run, cell).tap;
  return { run: index, ...cell, tap, measure: measureOf(run, selection.measure) };
}
