// The page of a comparison: both reports, what differs in how they came to be, and the maps of a pair of runs.
import type { CompareStore, ShownState } from '../../compare/store';
import { dropdown } from '../../controls';
import type { Comparison } from '../../model/compare/comparison';
import { lonelyInWords } from '../../model/compare/words';
import { code, element, muted, whenChanged, type Child, type Part } from '../dom';
import { section, type SectionOptions } from '../section';
import { table } from '../table';
import { compareHeader, type CompareEvents } from './compareHeader';
import { mapTriple } from './mapTriple';

const differences: SectionOptions<Comparison> = {
  name: 'differences',
  title: 'What differs in how they came to be',
  open: true,
  summary: ({ differences: { length } }) => (length === 0 ? 'nothing' : `${length} ${length === 1 ? 'thing' : 'things'}`),
  draw: ({ differences: all }) =>
    all.length === 0
      ? [element('p', {}, 'The same experiment under the same switches, on the same machine.')]
      : [
          table({
            caption: 'What differs in how the reports came to be',
            rows: all,
            columns: [
              { title: 'What', heads: true, cell: ({ name }) => name },
              { title: 'Of', cell: ({ group }) => muted(group) },
              { title: 'A', cell: ({ a }) => said(a) },
              { title: 'B', cell: ({ b }) => said(b) },
            ],
          }),
        ],
};

const said = (text: string): Child => (text === '' || text === 'not told' ? muted(text === '' ? '–' : text) : element('span', { class: 'wrapping', attributes: { dir: 'auto' } }, code(text)));

const sayings: SectionOptions<Comparison> = {
  name: 'sayings',
  title: 'What they say differently',
  open: true,
  summary: ({ sayings: { length } }) => (length === 0 ? 'nothing' : `${length} ${length === 1 ? 'place' : 'places'}`),
  draw: ({ sayings: all, sameKind }) =>
    all.length === 0
      ? [element('p', {}, sameKind ? 'Their accounts say the same.' : 'Reports of two kinds have no account in common.')]
      : [
          table({
            caption: 'What the accounts of the reports say differently',
            rows: all,
            columns: [
              { title: 'Where', heads: true, cell: ({ section: of, place }) => element('span', { class: 'wrapping' }, place === '' ? of : `${of}: ${place}`) },
              { title: 'A', cell: ({ a }) => (a === '' ? muted('–') : element('span', { class: 'wrapping', attributes: { dir: 'auto' } }, a)) },
              { title: 'B', cell: ({ b }) => (b === '' ? muted('–') : element('span', { class: 'wrapping', attributes: { dir: 'auto' } }, b)) },
            ],
          }),
        ],
};

function runChooser(store: CompareStore): Part<ShownState> {
  const runs = dropdown('Run', (value) => store.dispatch({ type: 'run', run: Number(value) }));
  const lonely = element('p', { class: 'muted' });
  const node = element('div', { class: 'toolbar' }, runs.node, lonely);
  const draw = whenChanged<ShownState>(
    ({ comparison, view }) => [comparison, view.run],
    ({ comparison, view }) => {
      const options = comparison.runs.map(({ a, b, by }, i) => {
        const label = by === 'label' ? a.label : `${a.label} / ${b.label}, by order`;
        return { value: String(i), label: `${label}: ${a.word} → ${b.word}`, title: label };
      });
      runs.show(options, String(view.run));
      runs.node.hidden = options.length < 2;
      lonely.textContent = lonelyInWords(comparison);
      node.hidden = options.length < 2 && lonely.textContent === '';
    },
  );
  return { node, update: draw };
}

export function compareView(store: CompareStore, events: CompareEvents): Part<ShownState> {
  const top = compareHeader(events);
  const chooser = runChooser(store);
  const maps = mapTriple(store);
  const toggled = (name: string, open: boolean): void => store.dispatch({ type: 'section', name, open });
  const folds = [section(differences, toggled), section(sayings, toggled)];
  return {
    node: element('main', { class: 'report compare' }, top.node, chooser.node, maps.node, element('div', { class: 'sections' }, ...folds.map(({ node }) => node))),
    update(state) {
      for (const part of [top, chooser, maps]) part.update(state);
      // Beside maps the accounts are of second rank.
      const sections = { sayings: state.comparison.runs.every(({ maps: pair }) => pair === null), ...state.view.sections };
      for (const fold of folds) fold.update({ content: state.comparison, sections });
    },
  };
}
