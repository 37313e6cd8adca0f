// The picture of a report: which run, its map or timeline, what the chosen cell holds, and the texts after a fork.
import type { Report } from '../../shared/report';
import { dropdown } from '../controls';
import { mappedRuns, type MappedRun } from '../model/grids';
import type { ForkedText } from '../model/timelines/texts';
import type { Store, View } from '../store';
import { element, muted, whenChanged, type Part } from './dom';
import { heatMap } from './map/heatMap';

export interface PictureInput {
  readonly report: Report;
  readonly view: View;
}

/** Of a text that is shown: enough to find the fork in it. */
const commonTail = 400;

export function picture(store: Store): Part<PictureInput> {
  const map = heatMap({ choose: (cell) => store.dispatch({ type: 'cell', cell }), look: (sight) => store.dispatch({ type: 'look', sight }) });
  const runs = dropdown('Run', (value) => store.dispatch({ type: 'run', run: Number(value) }));
  const cell = element('p', { class: 'cell-words' });
  const none = element('p', { class: 'empty' }, 'The report has no picture of this run: it ended before there was one, it is too long for one, or it was made before they were kept.');
  const texts = element('div', { class: 'texts' });
  const node = element('section', { class: 'map-panel picture', attributes: { 'aria-label': 'Picture' } }, element('div', { class: 'toolbar' }, runs.node), map.node, cell, none, texts);
  const list = whenChanged<PictureInput>(
    ({ report, view }) => [report, view.selection.run],
    ({ report, view }) => {
      const all = mappedRuns(report);
      runs.show(all.map(({ label, word }, i) => ({ value: String(i), label: `${label}: ${word}`, title: label })), String(view.selection.run));
      runs.node.hidden = all.length < 2;
    },
  );
  const tell = whenChanged<MappedRun>(({ text }) => [text], ({ text }) => texts.replaceChildren(...(text === null ? [] : forked(text))));
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
      tell(run);
      if (grid === null) return;
      map.update({ grid, measure: view.selection.measure, selected: view.selection, sight: view.sight });
      cell.textContent = grid.words(view.selection);
    },
  };
}

/** What both say, and beside each other what each says then. */
function forked({ common, branches }: ForkedText): Node[] {
  const cut = common.length > commonTail && branches.length > 0;
  const shared = element('p', { class: 'text', attributes: { dir: 'auto' } }, cut ? muted('… ') : '', cut ? common.slice(-commonTail) : common);
  const sides = branches.map(({ name, rest }) => element('section', {}, element('h3', {}, name), element('p', { class: 'text forked', attributes: { dir: 'auto' } }, rest === '' ? muted('nothing: it ends here') : rest)));
  return [element('h3', {}, branches.length > 0 ? 'The same until the fork' : 'The same text'), shared, ...(sides.length > 0 ? [element('div', { class: 'branches' }, ...sides)] : [])];
}
