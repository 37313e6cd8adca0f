// The maps of a report, one a run.
import type { Report } from '../../shared/report';
import type { VerdictWord } from '../../shared/verdictWord';
import { bisectGrid } from './bisectGrid';
import type { Cell, Grid } from './grid';
import { prefillGrid } from './prefillGrid';
import { indexOf, tapsOfCell } from './runIndex';

export interface MappedRun {
  readonly word: VerdictWord;
  /** Null: the report has no map of it. */
  readonly grid: Grid | null;
  /** Those taps of a cell that are listed one by one, as indices into the list. */
  readonly taps: (cell: Cell) => readonly number[];
}

export function mappedRuns(report: Report): readonly MappedRun[] {
  if (report.kind === 'bisect') return report.bisect.runs.map((run) => ({ word: run.verdict.word, grid: bisectGrid(run), taps: ({ row, position }) => tapsOfCell(indexOf(run), row, position) }));
  if (report.kind !== 'prefill') return [];
  const { runs, prompt } = report.prefill;
  return runs.map((run) => ({ word: run.verdict.word, grid: prefillGrid(run, prompt.ids), taps: () => [] }));
}
