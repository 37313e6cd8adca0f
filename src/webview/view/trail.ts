// Breadcrumbs over the picture, and the way back and forward through where one has looked.
import * as l10n from '@vscode/l10n';
import type { Cell } from '../model/grid';
import { mappedRuns } from '../model/grids';
import { followingCell, wholeSight, type Sight } from '../model/span';
import { trailOf, type Level } from '../model/trail';
import type { ReportState, Store } from '../store';
import { backForward } from './backForward';
import { element, foreign, whenChanged, type Part } from './dom';

/** Focus goes where the crumb leads; the part of the page it is in may be missing. */
function focusOn(selector: string): void {
  const target = document.querySelector<HTMLElement>(selector);
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: 'nearest' });
}

/** Null for a crumb that leads to no cell. */
function placeOf(level: Level, { report, view: { selection, sight } }: ReportState): { readonly cell: Cell; readonly sight: Sight } | null {
  const grid = mappedRuns(report)[selection.run]?.grid ?? null;
  if (grid === null) return null;
  const whole = wholeSight(grid.rows.length, grid.positions);
  const near = followingCell(sight ?? whole, selection);
  switch (level) {
    case 'run':
      return { cell: grid.first ?? selection, sight: whole };
    case 'row':
      return { cell: selection, sight: { ...near, positions: whole.positions } };
    case 'position':
      return { cell: selection, sight: near };
    default:
      return null;
  }
}

function go(level: Level, store: Store): void {
  const state = store.state();
  if (state.screen !== 'report') return;
  const place = placeOf(level, state);
  if (place !== null) store.dispatch({ type: 'goTo', ...place });
  if (level === 'report') window.scrollTo({ top: 0, behavior: 'instant' });
  focusOn(level === 'report' ? '.report-header h1' : level === 'tap' ? '.cell-panel .lane-node[tabindex="0"]' : '.map-grid');
}

function crumbs(store: Store): Part<ReportState> {
  const list = element('ol');
  const node = element('nav', { class: 'crumbs', attributes: { 'aria-label': l10n.t('Where you are') } }, list);
  const draw = whenChanged<ReportState>(
    ({ report, fileName, view: { selection } }) => [report, fileName, selection],
    ({ report, fileName, view: { selection } }) => {
      const all = trailOf(report, fileName, selection);
      const focused = [...list.querySelectorAll('button')].findIndex((one) => one === document.activeElement);
      list.replaceChildren(
        ...all.map(({ level, label, title }, i) => {
          const made = element('button', { class: 'plain', attributes: { title, dir: 'auto', ...(i === all.length - 1 ? { 'aria-current': 'location' } : {}) } }, level === 'position' ? label : foreign(label));
          made.addEventListener('click', () => go(level, store));
          return element('li', {}, made);
        }),
      );
      list.querySelectorAll('button')[focused]?.focus();
    },
  );
  return { node, update: draw };
}

/** `tools` stand at its end. */
export function trail(store: Store, ...tools: readonly HTMLElement[]): Part<ReportState> {
  const steps = backForward((way) => store.dispatch({ type: way }));
  const path = crumbs(store);
  const node = element('div', { class: 'trail' }, path.node, steps.node, ...tools);
  return {
    node,
    update(state) {
      path.update(state);
      steps.node.hidden = mappedRuns(state.report).length === 0;
      steps.update(state.history);
    },
  };
}
