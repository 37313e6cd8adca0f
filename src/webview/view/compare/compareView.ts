// The page of a comparison: both reports, what differs in how they came to be, and the maps of a pair of runs.
import * as l10n from '@vscode/l10n';
import type { CompareStore, ShownState } from '../../compare/store';
import { dropdown } from '../../controls';
import { amount } from '../../model/amount';
import type { Comparison } from '../../model/compare/comparison';
import { lonelyInWords } from '../../model/compare/words';
import { code, element, muted, whenChanged, type Child, type Part } from '../dom';
import { section, type SectionOptions } from '../section';
import { table } from '../table';
import { backForward } from '../backForward';
import { pictureTools, type ExportEvents } from '../export/pictureTools';
import { keyList } from '../keyList';
import { compareHeader, type CompareHeaderEvents } from './compareHeader';
import { deltaSource } from './deltaSource';
import { mapTriple } from './mapTriple';

/** By what the Markdown record calls them. */
const groupWords = new Map([
  ['Experiment', l10n.t('Experiment')],
  ['Switches of arm A', l10n.t('Switches of arm A')],
  ['Switches of arm B', l10n.t('Switches of arm B')],
  ['Kernels', l10n.t('Kernels')],
  ['Provenance', l10n.t('Provenance')],
]);

const differences: SectionOptions<Comparison> = {
  name: 'differences',
  title: l10n.t('What differs in how they came to be'),
  open: true,
  summary: ({ differences: { length } }) => (length === 0 ? l10n.t('nothing') : amount(length, l10n.t('{0} thing'), l10n.t('{0} things'))),
  draw: ({ differences: all }) =>
    all.length === 0
      ? [element('p', {}, l10n.t('The same experiment under the same switches, on the same machine.'))]
      : [
          table({
            caption: l10n.t('What differs in how the reports came to be'),
            rows: all,
            columns: [
              { title: l10n.t('What'), heads: true, foreign: true, cell: ({ name }) => name },
              { title: l10n.t('Of'), cell: ({ group }) => muted(groupWords.get(group) ?? group) },
              { title: 'A', cell: ({ a }) => said(a) },
              { title: 'B', cell: ({ b }) => said(b) },
            ],
          }),
        ],
};

const said = (text: string): Child => (text === '' ? muted('–') : text === 'not told' ? muted(l10n.t('not told')) : element('span', { class: 'wrapping', attributes: { dir: 'auto' } }, code(text)));

const sayings: SectionOptions<Comparison> = {
  name: 'sayings',
  title: l10n.t('What they say differently'),
  open: true,
  summary: ({ sayings: { length } }) => (length === 0 ? l10n.t('nothing') : amount(length, l10n.t('{0} place'), l10n.t('{0} places'))),
  draw: ({ sayings: all, sameKind }) =>
    all.length === 0
      ? [element('p', {}, sameKind ? l10n.t('Their accounts say the same.') : l10n.t('Reports of two kinds have no account in common.'))]
      : [
          table({
            caption: l10n.t('What the accounts of the reports say differently'),
            rows: all,
            columns: [
              { title: l10n.t('Where'), heads: true, foreign: true, cell: ({ section: of, place }) => element('span', { class: 'wrapping' }, place === '' ? of : `${of}: ${place}`) },
              { title: 'A', foreign: true, cell: ({ a }) => (a === '' ? muted('–') : element('span', { class: 'wrapping', attributes: { dir: 'auto' } }, a)) },
              { title: 'B', foreign: true, cell: ({ b }) => (b === '' ? muted('–') : element('span', { class: 'wrapping', attributes: { dir: 'auto' } }, b)) },
            ],
          }),
        ],
};

function runChooser(store: CompareStore): Part<ShownState> {
  const runs = dropdown(l10n.t({ message: 'Run', comment: ['a run, not to run'] }), (value) => store.dispatch({ type: 'run', run: Number(value) }));
  const lonely = element('p', { class: 'muted' });
  const node = element('div', { class: 'toolbar' }, runs.node, lonely);
  const draw = whenChanged<ShownState>(
    ({ comparison, view }) => [comparison, view.run],
    ({ comparison, view }) => {
      const options = comparison.runs.map(({ a, b, by }, i) => {
        const label = by === 'label' ? a.label : l10n.t('{0} / {1}, by order', a.label, b.label);
        return { value: String(i), label: `${label}: ${a.word} → ${b.word}`, title: label, foreign: true };
      });
      runs.show(options, String(view.run));
      runs.node.hidden = options.length < 2;
      lonely.textContent = lonelyInWords(comparison);
      node.hidden = options.length < 2 && lonely.textContent === '';
    },
  );
  return { node, update: draw };
}

export interface CompareEvents extends CompareHeaderEvents, ExportEvents {}

export function compareView(store: CompareStore, events: CompareEvents): Part<ShownState> {
  const top = compareHeader(events);
  const steps = backForward((way) => store.dispatch({ type: way }));
  const tools = pictureTools(deltaSource(store), events);
  const trail = element('div', { class: 'trail' }, steps.node, tools.node, keyList());
  const chooser = runChooser(store);
  const maps = mapTriple(store);
  const toggled = (name: string, open: boolean): void => store.dispatch({ type: 'section', name, open });
  const folds = [section(differences, toggled), section(sayings, toggled)];
  return {
    node: element('main', { class: 'report compare' }, top.node, trail, chooser.node, maps.node, element('div', { class: 'sections' }, ...folds.map(({ node }) => node))),
    update(state) {
      for (const part of [top, tools, chooser, maps]) part.update(state);
      steps.update(state.history);
      steps.node.hidden = state.comparison.runs.length === 0;
      // Beside maps the accounts are of second rank.
      const sections = { sayings: state.comparison.runs.every(({ maps: pair }) => pair === null), ...state.view.sections };
      for (const fold of folds) fold.update({ content: state.comparison, sections });
    },
  };
}
