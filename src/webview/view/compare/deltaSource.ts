// What the page of a comparison gives away: the map of what became of each cell, as a picture and as a table, and the record.
import * as l10n from '@vscode/l10n';
import type { CompareStore, ShownState } from '../../compare/store';
import { comparisonRecord } from '../../model/compare/record';
import { outcomeInWords } from '../../model/compare/words';
import { cellText, rowText } from '../../model/export/cells';
import type { Drawing } from '../../model/export/sheet';
import type { Grid } from '../../model/grid';
import { contentFrom, gridDrawing, gridTable } from '../export/gridPicture';
import { NotThere } from '../export/notThere';
import type { PictureSource } from '../export/pictureTools';

const deltaOf = ({ comparison: { runs }, view }: ShownState): Grid | null => runs[view.run]?.maps?.delta ?? null;

function delta(state: ShownState): Grid {
  const grid = deltaOf(state);
  if (grid === null) throw new NotThere(l10n.t('There is no picture of this run in both reports.'));
  return grid;
}

const runName = ({ comparison: { runs }, view }: ShownState): string => runs[view.run]?.a.label ?? '';

function drawingOf(state: ShownState): Drawing {
  const { message, comparison, view } = state;
  const heading = { title: l10n.t('From A to B'), verdict: outcomeInWords(comparison), run: [`A ${message.a.fileName}`, `B ${message.b.fileName}`, runName(state)].filter((part) => part !== '').join(' · ') };
  return gridDrawing({ grid: delta(state), measure: view.measure, sight: view.sight }, heading);
}

export const recordOf = ({ comparison, message: { a, b } }: ShownState): string => comparisonRecord(comparison, { a: a.fileName, b: b.fileName });

export function deltaSource(store: CompareStore): PictureSource<ShownState> {
  const ofDelta = (state: ShownState, text: (grid: Grid) => string): string | null => {
    const grid = deltaOf(state);
    return grid && text(grid);
  };
  return {
    state() {
      const state = store.state();
      return state.screen === 'compared' ? state : null;
    },
    content: (state, format) => contentFrom(format, { drawing: () => drawingOf(state), table: () => gridTable(delta(state)), record: () => recordOf(state) }),
    drawing: drawingOf,
    cell: (state) => ofDelta(state, (grid) => cellText(grid, state.view.cell)),
    row: (state) => ofDelta(state, (grid) => rowText(grid, { name: state.view.measure }, state.view.cell.row)),
    name: (state) => `${runName(state)} from A to B`,
    key: ({ comparison, view: { run, cell, measure } }) => [comparison, run, cell, measure],
  };
}
