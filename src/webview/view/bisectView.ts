// A bisect: table of runs, heat map beside the selected cell, and what else the run says.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectReport, BisectRun } from '../../shared/report';
import type { Selection } from '../../shared/viewProtocol';
import { button, choice } from '../controls';
import { bitsOf } from '../model/elements';
import { bisectGrid, bisectMeasures, hasMap, tapNamed } from '../model/bisectGrid';
import type { Cell } from '../model/grid';
import type { Sight } from '../model/span';
import { differing } from '../model/navigation';
import { firstState, placeInWords, stateInWords } from '../model/words';
import type { ElementLoads } from '../elementLoads';
import type { Store, View } from '../store';
import { cellPanel } from './cellPanel';
import { code, element, filled, whenChanged, type Part } from './dom';
import { heatMap } from './map/heatMap';
import { kernelSection } from './kernelSection';
import { logitSection } from './logitSection';
import { proofSection } from './proofSection';
import { runTable } from './runTable';
import { section, type SectionInput } from './section';
import { stateSection } from './stateSection';
import { tilePanel } from './tilePanel';

/** From this many positions on the map takes the whole width, and taps and elements stand below it. */
const wideFrom = 40;

export interface BisectInput {
  readonly report: BisectReport;
  readonly view: View;
}

interface RunInput {
  readonly report: BisectReport;
  readonly run: BisectRun;
  readonly selection: Selection;
  readonly sight: Sight | null;
  readonly sections: View['sections'];
}

export function bisectView(store: Store, loads: ElementLoads): Part<BisectInput> {
  const runs = runTable((run) => store.dispatch({ type: 'run', run }));
  const run = runView(store, loads);
  const none = element('p', { class: 'empty' }, l10n.t('The report holds no runs: the experiment ended before the first one was done.'));
  const node = element('div', { class: 'bisect' }, runs.node, run.node, none);
  return {
    node,
    update({ report, view }) {
      const shown = report.bisect.runs[view.selection.run];
      none.hidden = shown !== undefined;
      runs.node.hidden = run.node.hidden = shown === undefined;
      if (!shown) return;
      runs.update({ report, run: view.selection.run });
      run.update({ report, run: shown, selection: view.selection, sight: view.sight, sections: view.sections });
    },
  };
}

function runView(store: Store, loads: ElementLoads): Part<RunInput> {
  const panels = cellPanels(store, loads);
  const none = element('p', { class: 'empty' }, l10n.t('This run has no map: the report holds no cells of it, or more than a page can draw.'));
  const toggled = (name: string, open: boolean): void => store.dispatch({ type: 'section', name, open });
  const sections: readonly Part<SectionInput<BisectRun>>[] = [logitSection, proofSection, stateSection, kernelSection].map((options) => section(options, toggled));
  const columns = [sections.slice(0, 2), sections.slice(2)].map((column) => element('div', {}, ...column.map((part) => part.node)));
  const node = element('div', {}, panels.node, none, element('div', { class: 'sections columns' }, ...columns));
  return {
    node,
    update(input) {
      const mapped = hasMap(input.run);
      panels.node.hidden = !mapped;
      none.hidden = mapped;
      if (mapped) panels.update(input);
      for (const part of sections) part.update({ content: input.run, sections: input.sections });
    },
  };
}

/** Heat map at the left, the cell's taps and elements at the right. */
function cellPanels(store: Store, loads: ElementLoads): Part<RunInput> {
  const choose = (cell: Cell): void => store.dispatch({ type: 'cell', cell });
  let input: RunInput | null = null;
  const taps = cellPanel({
    choose: (tap) => store.dispatch({ type: 'tap', tap }),
    step: (step) => input && choose(differing(bisectGrid(input.run), input.selection, step)),
    leave: () => map.node.querySelector<HTMLElement>('[role=grid]')?.focus(),
  });
  const found = (cell: Cell, named = ''): void => {
    choose(cell);
    const tap = input && tapNamed(input.run, cell, named);
    if (tap !== null) store.dispatch({ type: 'tap', tap });
  };
  const map = heatMap({ choose: found, enter: taps.focus, look: (sight) => store.dispatch({ type: 'look', sight }) });
  const tile = tilePanel({
    loads,
    toggled: (name, open) => store.dispatch({ type: 'section', name, open }),
    // Its rows are made in the page: what fails there is a fault of the page.
    failed: (error) => reportError(error),
  });
  loads.listen(() => input && tile.update(input));
  const tools = toolbar(store, choose);
  const node = element('div', { class: 'run' }, element('section', { class: 'map-panel', attributes: { 'aria-label': l10n.t('Heat map') } }, tools.node, map.node), taps.node, tile.node);
  const parts: readonly Part<RunInput>[] = [tools, taps, tile];
  return {
    node,
    update(next) {
      input = next;
      node.classList.toggle('wide', next.run.cells.positions > wideFrom);
      for (const part of parts) part.update(next);
      map.update({ grid: bisectGrid(next.run), measure: next.selection.measure, selected: next.selection, sight: next.sight });
    },
  };
}

function toolbar(store: Store, choose: (cell: Cell) => void): Part<RunInput> {
  const options = bisectMeasures.map(({ name, label, describes }) => ({ value: name, label, title: describes }));
  const measure = choice(l10n.t('Colour by'), options, (value) => store.dispatch({ type: 'measure', measure: value }));
  const first = element('p', { class: 'first-place' });
  const node = element('div', { class: 'toolbar' }, measure.node, first);
  const draw = whenChanged<RunInput>(({ run }) => [run], ({ run }) => first.replaceChildren(...firstPlace(run, choose)));
  return {
    node,
    update(input) {
      measure.show(input.selection.measure);
      draw(input);
    },
  };
}

function noTap(run: BisectRun): string {
  const state = firstState(run);
  return state ? l10n.t('Every tap is equal; the state after the block differs, first at {0}, element {1}.', stateInWords(state), formatCount(state.firstIndex)) : l10n.t('No byte differs.');
}

function firstPlace(run: BisectRun, choose: (cell: Cell) => void): (Node | string)[] {
  const { first } = run;
  if (!first) return [noTap(run)];
  const go = button(l10n.t('Go to first'), () => choose({ row: first.row, position: first.position }));
  go.title = l10n.t('Select the first divergence (f)');
  // Enough that neighbours of a 16 bit or a 32 bit type do not read the same.
  const digits = first.aHex.length > 4 ? 9 : 5;
  const bits = [code(bitsOf(first.aHex)), code(bitsOf(first.bHex))];
  const values = [formatFloat(first.a, digits), formatFloat(first.b, digits), formatCount(first.ulp)];
  const text = l10n.t('{0}, position {1}, element {2}: {3} | {4} ({5} | {6}), {7} ULP');
  return [element('span', {}, ...filled(text, placeInWords(run, first), String(first.position), formatCount(first.element), ...bits, ...values)), go];
}
