// The picture of a prefill comparison: which run, and its map of layers x tokens.
import type { ReportOf } from '../../shared/report';
import { dropdown } from '../controls';
import { prefillGrid } from '../model/prefillGrid';
import type { Store, View } from '../store';
import { element, whenChanged, type Part } from './dom';
import { heatMap } from './map/heatMap';

export interface PrefillInput {
  readonly report: ReportOf<'prefill'>;
  readonly view: View;
}

export function prefillPicture(store: Store): Part<PrefillInput> {
  const map = heatMap({ choose: (cell) => store.dispatch({ type: 'cell', cell }), look: (sight) => store.dispatch({ type: 'look', sight }) });
  const runs = dropdown('Comparison', (value) => store.dispatch({ type: 'run', run: Number(value) }));
  const cell = element('p', { class: 'cell-words' });
  const none = element('p', { class: 'empty' });
  const node = element('section', { class: 'map-panel picture', attributes: { 'aria-label': 'Heat map' } }, element('div', { class: 'toolbar' }, runs.node), map.node, cell, none);
  const list = whenChanged<PrefillInput>(
    ({ report, view }) => [report, view.selection.run],
    ({ report, view }) => runs.show(report.prefill.runs.map(({ label, verdict }, i) => ({ value: String(i), label: `${label}: ${verdict.word}`, title: verdict.sentence })), String(view.selection.run)),
  );
  return {
    node,
    update(input) {
      const { report, view } = input;
      const { runs: all, prompt } = report.prefill;
      const run = all[view.selection.run];
      const grid = run ? prefillGrid(run, prompt.ids) : null;
      list(input);
      runs.node.hidden = all.length < 2;
      node.hidden = run === undefined;
      map.node.hidden = cell.hidden = grid === null;
      none.hidden = grid !== null;
      none.textContent = 'The report has no map of this comparison: it was made before maps were kept, or its prompt is too long for one.';
      if (grid === null) return;
      map.update({ grid, measure: view.selection.measure, selected: view.selection, sight: view.sight });
      cell.textContent = grid.words(view.selection);
    },
  };
}
