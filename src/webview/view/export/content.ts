// What a report's page gives away: the picture that is shown, its cells as a table, the record.
import * as l10n from '@vscode/l10n';
import type { ExportFormat } from '../../../shared/exportLimits';
import { formatCount } from '../../../shared/format';
import { recordOf } from '../../../shared/record';
import { titleOf } from '../../../shared/reportFacts';
import { cellsCsv, cellsLimit, cellText, rowText } from '../../model/export/cells';
import { pictureSvg } from '../../model/export/pictureSvg';
import type { Drawing, Heading } from '../../model/export/sheet';
import { sweepCsv } from '../../model/export/sweepCsv';
import type { Grid } from '../../model/grid';
import { mappedRuns } from '../../model/grids';
import { sweepOf } from '../../model/sweep';
import type { ReportState, Store } from '../../store';
import { chartSvg } from './chartSvg';
import { pageColours } from './colours';
import { NotThere } from './notThere';
import type { PictureSource } from './pictureTools';
import { base64Of, pngOf } from './raster';

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
  const { measure: name } = state.view.selection;
  if (grid !== null) {
    const measure = grid.measures.find((one) => one.name === name) ?? grid.measures[0];
    return pictureSvg({ grid, measure: name, sight: state.view.sight }, headingOf(state), pageColours(measure ?? { scale: 'log' }));
  }
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
  return csvOf(grid);
}

/** Throws NotThere. */
export function csvOf(grid: Grid): string {
  const csv = cellsCsv(grid);
  if (csv === null) throw new NotThere(l10n.t('The run has more than {0} cells, too many for a table. The report itself is JSON.', formatCount(cellsLimit)));
  return csv;
}

/** Text, or the base64 of a PNG. Throws NotThere. */
async function contentOf(state: ReportState, format: ExportFormat): Promise<string> {
  switch (format) {
    case 'png':
      return base64Of(await pngOf(drawingOf(state)));
    case 'svg':
      return drawingOf(state).svg;
    case 'csv':
      return tableOf(state);
    case 'md':
      return recordOf(state.report);
  }
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
    content: contentOf,
    drawing: drawingOf,
    cell: (state) => ofShown(state, (grid) => cellText(grid, state.view.selection)),
    row: (state) => ofShown(state, (grid) => rowText(grid, { name: state.view.selection.measure }, state.view.selection.row)),
    name: ({ report, view }) => mappedRuns(report)[view.selection.run]?.label ?? '',
    key: ({ report, view: { selection } }) => [report, selection],
  };
}
