// State of the page: two reports, and what of them is looked at. Maps share the cell, the part in sight and the measure.
import type { Compared, ToCompare } from '../../shared/compareProtocol';
import { createStore as storeOf, type Stopped, type Store as StoreOf } from '../createStore';
import { comparisonOf, runCounts, type ComparedRun, type Comparison } from '../model/compare/comparison';
import { sameCell, type Cell, type MeasureName } from '../model/grid';
import { noHistory, stepped, wentBack, wentForward, type History } from '../model/history';
import { followingCell, keptSight, sameSight, type Sight } from '../model/span';

export interface CompareView {
  /** Index into the pairs of runs. */
  readonly run: number;
  readonly cell: Cell;
  readonly measure: MeasureName;
  /** Null: all of the maps. */
  readonly sight: Sight | null;
  readonly sections: Readonly<Record<string, boolean>>;
}

export type CompareState =
  | { readonly screen: 'loading' }
  /** One of the files cannot be shown. */
  | { readonly screen: 'problem'; readonly message: ToCompare }
  /** No comparison could be made of them, or drawn. */
  | { readonly screen: 'failed'; readonly message: ToCompare; readonly reason: string }
  | { readonly screen: 'compared'; readonly message: ToCompare; readonly comparison: Comparison; readonly view: CompareView; readonly history: History<Place> };
export type ShownState = Extract<CompareState, { screen: 'compared' }>;

/** Where one looks: what a step back brings again. */
type Place = Omit<CompareView, 'sections'>;

export interface Saved {
  readonly files: Compared;
  readonly view: CompareView | null;
}

export type CompareAction =
  | { readonly type: 'compared'; readonly message: ToCompare; readonly saved: unknown }
  | { readonly type: 'failed'; readonly message: ToCompare; readonly reason: string }
  | { readonly type: 'run'; readonly run: number }
  | { readonly type: 'cell'; readonly cell: Cell }
  | { readonly type: 'measure'; readonly measure: MeasureName }
  | { readonly type: 'look'; readonly sight: Sight }
  | { readonly type: 'back' }
  | { readonly type: 'forward' }
  | { readonly type: 'section'; readonly name: string; readonly open: boolean };

const sameFiles = (one: Compared, other: Compared): boolean => one.a === other.a && one.b === other.b;
const isSaved = (saved: unknown): saved is Saved => typeof saved === 'object' && saved !== null && 'files' in saved && 'view' in saved;
const inside = (value: number, length: number): number => (Number.isInteger(value) && value >= 0 && value < length ? value : 0);

/** The first run with a new difference, else with a fixed one, else the first. */
function startRun(runs: readonly ComparedRun[]): number {
  const counts = runs.map(runCounts);
  const first = (of: 'new' | 'worse' | 'fixed'): number => counts.findIndex((one) => one !== null && one[of] > 0);
  return [first('new'), first('worse'), first('fixed')].find((at) => at >= 0) ?? 0;
}

/** Where a run is looked at first: where B parts, or where A did. */
const startCell = (run: ComparedRun | undefined): Cell => run?.maps?.b.first ?? run?.maps?.a.first ?? { row: 0, position: 0 };

function viewOf({ runs }: Comparison, kept: CompareView | null): CompareView {
  const at = inside(kept?.run ?? startRun(runs), runs.length);
  const run = runs[at];
  const grid = run?.maps?.b;
  const cell = kept === null ? startCell(run) : { row: inside(kept.cell.row, grid?.rows.length ?? 1), position: inside(kept.cell.position, grid?.positions ?? 1) };
  const measures = grid?.measures ?? [];
  const measure = measures.find(({ name }) => name === kept?.measure) ?? measures[0];
  return { run: at, cell, measure: measure?.name ?? 'bytes', sight: grid === undefined ? null : keptSight(kept?.sight ?? null, grid.rows.length, grid.positions), sections: kept?.sections ?? {} };
}

function opened(before: CompareState, { message, saved }: Extract<CompareAction, { type: 'compared' }>): CompareState {
  if (message.a.type !== 'report' || message.b.type !== 'report') return { screen: 'problem', message };
  const comparison = comparisonOf(message.a.report, message.b.report);
  const last = before.screen === 'compared' ? { files: before.message.files, view: before.view } : isSaved(saved) ? saved : null;
  const same = last !== null && sameFiles(last.files, message.files);
  return { screen: 'compared', message, comparison, view: viewOf(comparison, same ? last.view : null), history: same && before.screen === 'compared' ? before.history : noHistory };
}

const seeing = (view: CompareView, sight: Sight | null): CompareView => (sameSight(view.sight, sight) ? view : { ...view, sight });

function look({ comparison: { runs }, view }: ShownState, action: Exclude<CompareAction, { type: 'compared' | 'failed' | 'back' | 'forward' }>): CompareView {
  const grid = runs[view.run]?.maps?.b;
  switch (action.type) {
    case 'run':
      return action.run === view.run || runs[action.run] === undefined ? view : { ...view, run: action.run, cell: startCell(runs[action.run]), sight: null };
    case 'cell':
      return sameCell(view.cell, action.cell) ? view : { ...view, cell: action.cell, sight: view.sight && followingCell(view.sight, action.cell) };
    case 'measure':
      return action.measure === view.measure ? view : { ...view, measure: action.measure };
    case 'look':
      return grid === undefined ? view : seeing(view, keptSight(action.sight, grid.rows.length, grid.positions));
    case 'section':
      return { ...view, sections: { ...view.sections, [action.name]: action.open } };
  }
}

const placeOf = ({ run, cell, measure, sight }: CompareView): Place => ({ run, cell, measure, sight });

/** Back or forward. The reports may be others than when the place was left: a place in them is made of it. */
function turn(state: ShownState, way: typeof wentBack): ShownState {
  const turned = way(state.history, placeOf(state.view));
  return turned === null ? state : { ...state, history: turned.history, view: viewOf(state.comparison, { ...state.view, ...turned.place }) };
}

/** The next state; the same object when nothing changed. `at`: when, in milliseconds of one clock. */
export function reduce(state: CompareState, action: CompareAction, at = 0): CompareState {
  if (action.type === 'compared') return opened(state, action);
  if (action.type === 'failed') return { screen: 'failed', message: action.message, reason: action.reason };
  if (state.screen !== 'compared') return state;
  if (action.type === 'back') return turn(state, wentBack);
  if (action.type === 'forward') return turn(state, wentForward);
  const view = look(state, action);
  if (view === state.view) return state;
  return { ...state, view, history: action.type === 'section' ? state.history : stepped(state.history, placeOf(state.view), at, action.type === 'look') };
}

export type CompareStore = StoreOf<CompareState, CompareAction>;

export const createStore = (changed: (state: CompareState) => void, stopped: Stopped<CompareAction>): CompareStore => storeOf<CompareState, CompareAction>({ screen: 'loading' }, (state, action) => reduce(state, action, performance.now()), changed, stopped);
