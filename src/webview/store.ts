// State of the page: what is open, and what of it is looked at. The report is never changed, and only the second part is kept when the page is hidden.
import type { RunProgress } from '../shared/engineProtocol';
import type { Report } from '../shared/report';
import type { Selection } from '../shared/viewProtocol';
import { mappedRuns } from './model/grids';
import { at, clampSelection, startOf, startSelection } from './model/selection';
import { createStore as storeOf, type Stopped, type Store as StoreOf } from './createStore';
import type { Cell } from './model/grid';
import { noHistory, stepped, wentBack, wentForward, type History } from './model/history';
import { followingCell, keptSight, sameSight, type Sight } from './model/span';

export interface Problem {
  readonly fileName: string;
  readonly title: string;
  readonly detail: string;
  readonly action: string;
  /** The run can be begun anew. */
  readonly again?: boolean;
}

export type EntryColumn = 'name' | 'dtype' | 'shape' | 'bytes' | 'maxUlp' | 'maxAbs' | 'relL2' | 'firstIndex';

/** How the table of a tensor diff is arranged. */
export interface Arrangement {
  readonly sort: EntryColumn;
  readonly descending: boolean;
  readonly onlyDiffering: boolean;
  readonly filter: string;
}

export interface View {
  readonly selection: Selection;
  /** What of the heat map is in sight, null: all of it. */
  readonly sight: Sight | null;
  readonly arrangement: Arrangement;
  /** Sections that the user opened or closed, by name. */
  readonly sections: Readonly<Record<string, boolean>>;
  readonly scroll: number;
}

/** Where one looks: what a step back brings again. */
export type Place = Pick<View, 'selection' | 'sight'>;

export type State =
  | { readonly screen: 'loading' }
  | { readonly screen: 'problem'; readonly problem: Problem }
  | { readonly screen: 'running'; readonly fileName: string; readonly title: string; readonly progress: RunProgress }
  /** `running`: how far the run of the report is, null when it is over. `history` ends with the page: it is not kept. */
  | { readonly screen: 'report'; readonly fileName: string; readonly report: Report; readonly running: RunProgress | null; readonly view: View; readonly history: History<Place> };
export type ReportState = Extract<State, { screen: 'report' }>;

/** `view` of the report named by `key`. */
export interface Saved {
  readonly key: string;
  readonly view: View;
}

export type Action =
  | { readonly type: 'opened'; readonly report: Report; readonly fileName: string; readonly running?: RunProgress; readonly saved: unknown }
  | { readonly type: 'running'; readonly fileName: string; readonly title: string; readonly progress: RunProgress }
  | { readonly type: 'progress'; readonly progress: RunProgress }
  | { readonly type: 'problem'; readonly problem: Problem }
  | { readonly type: 'run'; readonly run: number }
  | { readonly type: 'cell'; readonly cell: Cell }
  | { readonly type: 'tap'; readonly tap: number }
  | { readonly type: 'measure'; readonly measure: Selection['measure'] }
  | { readonly type: 'look'; readonly sight: Sight }
  /** To a cell, with this part of the map in sight. */
  | { readonly type: 'goTo'; readonly cell: Cell; readonly sight: Sight }
  | { readonly type: 'back' }
  | { readonly type: 'forward' }
  | { readonly type: 'arrange'; readonly arrangement: Partial<Arrangement> }
  | { readonly type: 'section'; readonly name: string; readonly open: boolean }
  | { readonly type: 'scrolled'; readonly scroll: number };

/** Names one run of one experiment: a new run of the same file starts at its own first divergence. */
export const reportKey = (report: Report, fileName: string): string => [fileName, report.kind, report.run.startedAt].join('\n');

const startView = (report: Report): View => ({
  selection: startSelection(report),
  sight: null,
  arrangement: { sort: 'bytes', descending: true, onlyDiffering: false, filter: '' },
  sections: {},
  scroll: 0,
});

const isSaved = (saved: unknown): saved is Saved => typeof saved === 'object' && saved !== null && 'key' in saved && 'view' in saved;

function open(previous: State, action: Extract<Action, { type: 'opened' }>): State {
  const { report, fileName, running = null, saved } = action;
  const key = reportKey(report, fileName);
  const same = previous.screen === 'report' && reportKey(previous.report, previous.fileName) === key;
  const kept = same ? previous.view : isSaved(saved) && saved.key === key ? saved.view : undefined;
  const start = startView(report);
  const view = { ...start, ...kept };
  // A run that goes on may have found its first divergence since; who has not looked elsewhere is taken there.
  if (same && previous.running !== null && sameSelection(previous.view.selection, startSelection(previous.report))) view.selection = start.selection;
  // What was kept may be of another shape of report than the one that is there now.
  const selection = clampSelection(report, view.selection);
  return { screen: 'report', fileName, report, running, view: { ...view, selection, sight: sightOf(report, selection, view.sight) }, history: same ? previous.history : noHistory };
}

function sightOf(report: Report, selection: Selection, sight: Sight | null): Sight | null {
  const grid = mappedRuns(report)[selection.run]?.grid;
  return grid ? keptSight(sight, grid.rows.length, grid.positions) : null;
}

function select({ report, view: { selection } }: ReportState, action: Action): Selection | null {
  const run = mappedRuns(report)[action.type === 'run' ? action.run : selection.run];
  switch (action.type) {
    case 'run':
      return run ? clampSelection(report, { ...selection, run: action.run, ...startOf(run) }) : null;
    case 'cell':
    case 'goTo':
      return run ? { ...selection, ...at(run, action.cell) } : null;
    case 'tap':
      return { ...selection, tap: action.tap };
    case 'measure':
      return { ...selection, measure: action.measure };
    default:
      return null;
  }
}

const sameSelection = (a: Selection, b: Selection): boolean =>
  a.run === b.run && a.row === b.row && a.position === b.position && a.tap === b.tap && a.measure === b.measure;

function look(state: ReportState, action: Action): View {
  const { view } = state;
  switch (action.type) {
    case 'arrange':
      return { ...view, arrangement: { ...view.arrangement, ...action.arrangement } };
    case 'section':
      return { ...view, sections: { ...view.sections, [action.name]: action.open } };
    case 'scrolled':
      return { ...view, scroll: action.scroll };
    case 'look': {
      return { ...view, sight: sightOf(state.report, view.selection, action.sight) };
    }
    case 'goTo': {
      const selection = select(state, action) ?? view.selection;
      return { ...view, selection: sameSelection(selection, view.selection) ? view.selection : selection, sight: sightOf(state.report, selection, action.sight) };
    }
    default: {
      const selection = select(state, action);
      if (selection === null || sameSelection(selection, view.selection)) return view;
      // Another run has another map; a cell that is chosen comes into sight.
      const sight = view.sight && (action.type === 'run' ? null : followingCell(view.sight, selection));
      return { ...view, selection, sight };
    }
  }
}

/** What comes after the end of a run is of no use. */
function further(state: State, progress: RunProgress): State {
  if (state.screen === 'running') return { ...state, progress };
  return state.screen === 'report' && state.running !== null ? { ...state, running: progress } : state;
}

const placeOf = ({ selection, sight }: View): Place => ({ selection, sight });

/** Back or forward. The report may be another one than when the place was left: a place in it is made of it. */
function turn(state: ReportState, way: typeof wentBack): ReportState {
  const { report, view, history } = state;
  const turned = way(history, placeOf(view));
  if (turned === null) return state;
  const selection = clampSelection(report, turned.place.selection);
  return { ...state, history: turned.history, view: { ...view, selection, sight: sightOf(report, selection, turned.place.sight) } };
}

/** Whether another place is looked at. */
const moved = (before: View, now: View): boolean => before.selection !== now.selection || !sameSight(before.sight, now.sight);

/** The next state; the same object when nothing changed. `at`: when, in milliseconds of one clock. */
export function reduce(state: State, action: Action, at = 0): State {
  if (action.type === 'opened') return open(state, action);
  if (action.type === 'problem') return { screen: 'problem', problem: action.problem };
  if (action.type === 'running') return { screen: 'running', fileName: action.fileName, title: action.title, progress: action.progress };
  if (action.type === 'progress') return further(state, action.progress);
  if (state.screen !== 'report') return state;
  if (action.type === 'back') return turn(state, wentBack);
  if (action.type === 'forward') return turn(state, wentForward);
  const view = look(state, action);
  if (view === state.view) return state;
  const history = moved(state.view, view) ? stepped(state.history, placeOf(state.view), at, action.type === 'look') : state.history;
  return { ...state, view, history };
}

export type Store = StoreOf<State, Action>;

export const createStore = (changed: (state: State, before: State) => void, stopped: Stopped<Action>): Store =>
  storeOf<State, Action>({ screen: 'loading' }, (state, action) => reduce(state, action, performance.now()), changed, stopped);
