// State of the page: two reports, and what of them is looked at. Maps share the cell, the part in sight and the measure.
import type { Compared, ToCompare } from '../../shared/compareProtocol';
import { createStore as storeOf, type Stopped, type Store as StoreOf } from '../createStore';
import { comparisonOf, runCounts, type ComparedRun, type Comparison } from '../model/compare/comparison';
import type { Cell, MeasureName } from '../model/grid';
import { followingCell, keptSight, type Sight } from '../model/span';

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
  | { readonly screen: 'compared'; readonly message: ToCompare; readonly comparison: Comparison; readonly view: CompareView };
export type ShownState = Extract<CompareState, { screen: 'compared' }>;

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
  return { screen: 'compared', message, comparison, view: viewOf(comparison, last !== null && sameFiles(last.files, message.files) ? last.view : null) };
}

function look({ comparison: { runs }, view }: ShownState, action: Exclude<CompareAction, { type: 'compared' | 'failed' }>): CompareView {
  const grid = runs[view.run]?.maps?.b;
  switch (action.type) {
    case 'run':
      return action.run === view.run || runs[action.run] === undefined ? view : { ...view, run: action.run, cell: startCell(runs[action.run]), sight: null };
    case 'cell':
      return { ...view, cell: action.cell, sight: view.sight && followingCell(view.sight, action.cell) };
    case 'measure':
      return { ...view, measure: action.measure };
    case 'look':
      return grid === undefined ? view : { ...view, sight: keptSight(action.sight, grid.rows.length, grid.positions) };
    case 'section':
      return { ...view, sections: { ...view.sections, [action.name]: action.open } };
  }
}

/** The next state; the same object when nothing changed. */
export function reduce(state: CompareState, action: CompareAction): CompareState {
  if (action.type === 'compared') return opened(state, action);
  if (action.type === 'failed') return { screen: 'failed', message: action.message, reason: action.reason };
  if (state.screen !== 'compared') return state;
  const view = look(state, action);
  return view === state.view ? state : { ...state, view };
}

export type CompareStore = StoreOf<CompareState, CompareAction>;

export const createStore = (changed: (state: CompareState) => void, stopped: Stopped<CompareAction>): CompareStore => storeOf<CompareState, CompareAction>({ screen: 'loading' }, reduce, changed, stopped);
