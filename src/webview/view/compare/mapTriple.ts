// The maps of a pair of runs on the same axes and the same colours, and what became of each cell. One cell, one sight, one measure for all three.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../../shared/format';
import type { CompareStore, ShownState } from '../../compare/store';
import { button, choice } from '../../controls';
import type { ComparedRun, MapPair } from '../../model/compare/comparison';
import { countsOf, fates, fateSigns, type Fate } from '../../model/compare/delta';
import { cut, room } from '../../model/cut';
import { firstInWords, unmatchedInWords } from '../../model/compare/words';
import type { Cell, Grid, MeasureName } from '../../model/grid';
import { level } from '../../model/measures';
import { levelColours, onThemeChange, readPalette } from '../../theme';
import { element, filled, filledMuted, muted, svg, whenChanged, type Child, type Part } from '../dom';
import { heatMap, type MapInput } from '../map/heatMap';
import { zoomTools } from '../map/zoomTools';

type MapName = 'a' | 'b' | 'delta';

const titles: Readonly<Record<MapName, string>> = { a: 'A', b: 'B', delta: l10n.t('From A to B') };
const fateWords: Readonly<Record<Fate, string>> = { fixed: l10n.t('{0} fixed'), less: l10n.t('{0} still differ, less'), same: l10n.t('{0} differ as before'), worse: l10n.t('{0} differ more'), new: l10n.t('{0} new') };

/** From this many positions on the maps stand below each other. */
const wideFrom = 40;

interface TripleInput {
  readonly run: ComparedRun;
  readonly maps: MapPair;
  readonly cell: Cell;
  readonly measure: MeasureName;
  readonly sight: MapInput['sight'];
}

function panel(name: MapName, store: CompareStore): Part<TripleInput> {
  const choose = (cell: Cell): void => store.dispatch({ type: 'cell', cell });
  const map = heatMap({ choose, look: (sight) => store.dispatch({ type: 'look', sight }) }, { id: `map-${name}`, label: l10n.t('{0}, heat map', titles[name]), tools: false });
  const first = element('span', { class: 'first-of' });
  const words = element('p', { class: 'cell-words', attributes: { dir: 'auto' } });
  const node = element('section', { class: `compared-map map-of-${name}`, attributes: { 'aria-label': titles[name] } }, element('header', { class: 'panel-header' }, element('h2', {}, titles[name]), first), map.node, words);
  const tell = whenChanged<Grid>((grid) => [grid], (grid) => first.replaceChildren(...firstOf(name, grid, choose)));
  return {
    node,
    update({ maps, cell, measure, sight }) {
      const grid = maps[name];
      tell(grid);
      map.update({ grid, measure, selected: cell, sight });
      words.textContent = cut(grid.words(cell), room.text);
    },
  };
}

function firstOf(name: MapName, grid: Grid, choose: (cell: Cell) => void): Child[] & (Node | string)[] {
  if (name === 'delta') return [];
  const { first } = grid;
  if (first === null) return [muted(l10n.t('parts nowhere'))];
  return filledMuted(l10n.t('parts first at {0}'), button(firstInWords(grid), () => choose(first)));
}

function square(colour: string): SVGElement {
  return svg('svg', { class: 'swatch', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, svg('rect', { attributes: { x: 0.5, y: 0.5, width: 11, height: 11, fill: colour } }));
}

/** How many cells came to what, with the signs and colours of the map. */
function counts(): Part<TripleInput> {
  const node = element('ul', { class: 'fates', attributes: { 'aria-label': l10n.t('What became of the cells') } });
  let input: TripleInput | null = null;
  const fill = ({ maps, measure }: TripleInput): void => {
    const found = countsOf(maps.delta, measure);
    const colours = levelColours(readPalette(), { scale: 'delta' }).slice(level.differs);
    const item = (words: string, count: number, ...marks: readonly Child[]): HTMLElement => element('li', { class: count === 0 ? 'none' : '' }, ...marks, ...filled(words, element('strong', {}, formatCount(count))));
    node.replaceChildren(
      ...fates.map((fate, i) => item(fateWords[fate], found[fate], square(colours[i] ?? 'none'), element('span', { class: 'sign', attributes: { 'aria-hidden': 'true' } }, fateSigns[fate]))),
      item(l10n.t('{0} equal in both'), found.equal),
      ...(found.notInBoth > 0 ? [item(l10n.t('{0} not in both'), found.notInBoth)] : []),
    );
  };
  onThemeChange(() => input && fill(input));
  const draw = whenChanged<TripleInput>(({ maps, measure }) => [maps, measure], fill);
  return {
    node,
    update(next) {
      input = next;
      draw(next);
    },
  };
}

function measures(store: CompareStore): Part<TripleInput> {
  const node = element('div', { class: 'toolbar' });
  let show: (measure: MeasureName) => void = () => undefined;
  const build = whenChanged<TripleInput>(
    ({ maps }) => [maps],
    ({ maps }) => {
      const options = maps.a.measures.map(({ name, label, describes }) => ({ value: name, label, title: describes }));
      const made = choice(l10n.t('Colour by'), options, (measure) => store.dispatch({ type: 'measure', measure }));
      show = made.show;
      node.replaceChildren(...(options.length > 1 ? [made.node] : []));
      node.hidden = options.length < 2;
    },
  );
  return {
    node,
    update(input) {
      build(input);
      show(input.measure);
    },
  };
}

/** Of all three at once. What is looked for may stand in either report. */
function tools(store: CompareStore): Part<TripleInput> {
  const { node, update } = zoomTools({ look: (sight) => store.dispatch({ type: 'look', sight }), choose: (cell) => store.dispatch({ type: 'cell', cell }) });
  return { node, update: ({ maps, cell, sight }) => update({ grid: maps.delta, selected: cell, sight }) };
}

export function mapTriple(store: CompareStore): Part<ShownState> {
  const parts = [measures(store), counts(), tools(store), ...(['a', 'b', 'delta'] as const).map((name) => panel(name, store))];
  const [choices, tally, zoom, ...panels] = parts.map(({ node: own }) => own);
  const unmatched = element('p', { class: 'notice' });
  const grid = element('div', { class: 'compared-maps' }, ...panels);
  const maps = element('div', {}, choices ?? '', tally ?? '', unmatched, zoom ?? '', grid);
  const none = element('p', { class: 'empty' });
  const node = element('section', { class: 'map-panel', attributes: { 'aria-label': l10n.t('Maps of both reports') } }, maps, none);
  return {
    node,
    update({ comparison: { runs }, view }) {
      const run = runs[view.run];
      const pair = run?.maps ?? null;
      node.hidden = run === undefined;
      if (run === undefined) return;
      maps.hidden = pair === null;
      none.hidden = pair !== null;
      none.textContent = l10n.t('There is no picture of this run in both reports.');
      if (pair === null) return;
      grid.classList.toggle('wide', pair.a.positions > wideFrom);
      unmatched.textContent = unmatchedInWords(run);
      unmatched.hidden = unmatched.textContent === '';
      for (const part of parts) part.update({ run, maps: pair, cell: view.cell, measure: view.measure, sight: view.sight });
    },
  };
}
