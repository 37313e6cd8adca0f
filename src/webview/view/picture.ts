// The picture of a report: which run, its map or timeline, what the chosen cell holds, and the texts after a fork.
import * as l10n from '@vscode/l10n';
import type { Report } from '../../shared/report';
import { dropdown } from '../controls';
import { cut, room } from '../model/cut';
import { mappedRuns } from '../model/grids';
import type { Cell } from '../model/grid';
import type { Store, View } from '../store';
import { element, whenChanged, type Part } from './dom';
import { heatMap } from './map/heatMap';
import { tokenText } from './tokenText';

export interface PictureInput {
  readonly report: Report;
  readonly view: View;
}

export function picture(store: Store): Part<PictureInput> {
  const choose = (cell: Cell): void => store.dispatch({ type: 'cell', cell });
  const map = heatMap({ choose, look: (sight) => store.dispatch({ type: 'look', sight }) });
  const runs = dropdown(l10n.t({ message: 'Run', comment: ['a run, not to run'] }), (value) => store.dispatch({ type: 'run', run: Number(value) }));
  const cell = element('p', { class: 'cell-words' });
  const none = element('p', { class: 'empty' }, l10n.t('The report has no picture of this run: it ended before there was one, it is too long for one, or it was made before they were kept.'));
  const texts = tokenText(choose);
  const node = element('section', { class: 'map-panel picture', attributes: { 'aria-label': l10n.t('Picture') } }, element('div', { class: 'toolbar' }, runs.node), map.node, cell, none, texts.node);
  const list = whenChanged<PictureInput>(
    ({ report, view }) => [report, view.selection.run],
    ({ report, view }) => {
      const all = mappedRuns(report);
      runs.show(all.map(({ label, word }, i) => ({ value: String(i), label: `${label}: ${word}`, title: label, foreign: true })), String(view.selection.run));
      runs.node.hidden = all.length < 2;
    },
  );
  return {
    node,
    update(input) {
      const { report, view } = input;
      const run = mappedRuns(report)[view.selection.run];
      list(input);
      node.hidden = run === undefined;
      if (run === undefined) return;
      const { grid } = run;
      map.node.hidden = cell.hidden = grid === null;
      none.hidden = grid !== null;
      texts.update({ text: run.text, selected: view.selection });
      if (grid === null) return;
      map.update({ grid, measure: view.selection.measure, selected: view.selection, sight: view.sight });
      cell.textContent = cut(grid.words(view.selection), room.text);
    },
  };
}
