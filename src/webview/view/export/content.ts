// What a report's page gives away: the picture that is shown, its cells as a table, the record.
import * as l10n from '@vscode/l10n';
import { recordOf } from '../../../shared/record';
import { titleOf } from '../../../shared/reportFacts';
import { cellText, rowText } from '../../model/export/cells';
import type { Drawing, Heading } from '../../model/export/sheet';
import { sweepCsv } from '../../model/export/sweepCsv';
import type { Grid } from '../../model/grid';
import { mappedRuns } from '../../model/grids';
import { sweepOf } from '../../model/sweep';
import type { ReportState, Store } from '../../store';
import { chartSvg } from './chartSvg';
import { contentFrom, gridDrawing, gridTable } from './gridPicture';
import { NotThere } from './notThere';
import type { PictureSource } from './pictureTools';

/** The map or timeline that is looked at. */
const shownGrid = ({ report, view }: ReportState): Grid | null => mappedRuns(report)[view.selection.run]?.grid ?? null;

function headingOf({ report, fileName, view }: ReportState): Heading {
  const { word, sentence } = report.verdict;
  const run = mappedRuns(report)[view.selection.run];
  return { title: titleOf(report.experiment), verdict: `${word}: ${sentence}`, run: [fileName, ...(run === undefined ? [] : [`${run.label}: ${run.word}`])].join(' · ') };
}

/** Throws NotThere. */
function drawingOf(state: ReportState): Drawing {
  const grid = shownGrid(state);
  const { selection, sight } = state.view;
  if (grid !== null) return gridDrawing({ grid, measure: selection.measure, sight }, headingOf(state));
  const chart = document.querySelector<SVGSVGElement>('.sweep svg.chart');
  if (state.report.kind !== 'widths' || chart === null) throw new NotThere(l10n.t('This report has no picture here.'));
  return chartSvg(chart, headingOf(state));
}

function tableOf(state: ReportState): string {
  const grid = shownGrid(state);
  if (grid === null && state.report.kind === 'widths') {
    const sweep = sweepOf(state.report);
    if (sweep !== null) return sweepCsv(sweep);
  }
  if (grid === null) throw new NotThere(l10n.t('This report has no cells here. Its tables are in the Markdown record.'));
  return gridTable(grid);
}

function ofShown(state: ReportState, text: (grid: Grid) => string): string | null {
  const grid = shownGrid(state);
  return grid && text(grid);
}

export function reportSource(store: Store): PictureSource<ReportState> {
  return {
    state() {
      const state = store.state();
      return state.screen === 'report' ? state : null;
    },
    content: (state, format) => contentFrom(format, { drawing: () => drawingOf(state), table: () => tableOf(state), record: () => recordOf(state.report) }),
    drawing: drawingOf,
    cell: (state) => ofShown(state, (grid) => cellText(grid, state.view.selection)),
    row: (state) => ofShown(state, (grid) => rowText(grid, { name: state.view.selection.measure }, state.view.selection.row)),
    name: ({ report, view }) => mappedRuns(report)[view.selection.run]?.label ?? '',
    key: ({ report, view: { selection } }) => [report, selection],
  };
}
