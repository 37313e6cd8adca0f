// Two maps on the same axes: rows matched by their labels, positions by their numbers. What one of them lacks is there as not compared.
import * as l10n from '@vscode/l10n';
import type { Cell, Grid, GridRow, Measure, MeasureName } from '../grid';
import { notCompared } from '../measures';

export interface Aligned {
  readonly a: Grid;
  readonly b: Grid;
  /** Rows and positions that only one of them has. */
  readonly rowsOnlyA: readonly string[];
  readonly rowsOnlyB: readonly string[];
  readonly positionsA: number;
  readonly positionsB: number;
}

interface Axes {
  readonly rows: readonly GridRow[];
  readonly positions: number;
}

/** A label that comes several times is another row each time. */
function keysOf(rows: readonly GridRow[]): string[] {
  const seen = new Map<string, number>();
  return rows.map(({ label }) => {
    const time = seen.get(label) ?? 0;
    seen.set(label, time + 1);
    return `${time} ${label}`;
  });
}

/** All rows of both: those of A as they stand, and each that only B has behind the one it follows there. */
function mergedKeys(a: readonly string[], b: readonly string[]): string[] {
  const ofA = new Set(a);
  const behind = new Map<string | undefined, string[]>();
  let anchor: string | undefined;
  for (const key of b) {
    if (ofA.has(key)) anchor = key;
    else {
      const own = behind.get(anchor) ?? [];
      own.push(key);
      behind.set(anchor, own);
    }
  }
  return [...(behind.get(undefined) ?? []), ...a.flatMap((key) => [key, ...(behind.get(key) ?? [])])];
}

/** Rows of the grid by rows of the axes, -1 for those it lacks. */
type Places = Int32Array;

function placesOf(keys: readonly string[], merged: readonly string[]): Places {
  const rows = new Map(keys.map((key, row) => [key, row]));
  return Int32Array.from(merged, (key) => rows.get(key) ?? -1);
}

/** The other way round. */
function inverse(places: Places, rows: number): Places {
  const back = new Int32Array(rows).fill(-1);
  for (const [to, from] of places.entries()) if (from >= 0) back[from] = to;
  return back;
}

const notANumber = (): null => null;

function placed(grid: Grid, axes: Axes, places: Places, spread: Grid['spread'], measures: readonly Measure[]): Grid {
  const own = ({ row, position }: Cell): Cell | null => {
    const at = places[row] ?? -1;
    return at < 0 || position >= grid.positions ? null : { row: at, position };
  };
  const rows = inverse(places, grid.rows.length);
  const back = ({ row, position }: Cell): Cell => ({ row: rows[row] ?? -1, position });
  const known = new Map<MeasureName, Float64Array>();
  const values = (measure: MeasureName): Float64Array => {
    const all = known.get(measure) ?? moved(grid.values(measure), grid.positions, axes, places);
    known.set(measure, all);
    return all;
  };
  const { tokens } = grid;
  const lacking = ({ row, position }: Cell): string => l10n.t('{0} · position {1}', axes.rows[row]?.label ?? '', position);
  const of = <T>(cell: Cell, there: (own: Cell) => T, missing: T): T => {
    const at = own(cell);
    return at === null ? missing : there(at);
  };
  return {
    rows: axes.rows,
    positions: axes.positions,
    first: grid.first && back(grid.first),
    measures,
    values,
    ...(spread === undefined ? {} : { spread }),
    boundaries: grid.boundaries,
    ...(tokens === undefined ? {} : { tokens: { text: (cell) => of(cell, tokens.text, ''), token: (cell) => of(cell, tokens.token, undefined), room: (cell) => of(cell, tokens.room ?? notANumber, null), rounds: tokens.rounds } }),
    holding: (text) =>
      grid.holding(text).map((cell) => {
        const { row, position } = back({ row: Math.floor(cell / grid.positions), position: cell % grid.positions });
        return row * axes.positions + position;
      }),
    place: (cell) => of(cell, grid.place, lacking(cell)),
    about: (cell) => of(cell, grid.about, l10n.t('not in this report')),
    facts: (cell) => of(cell, grid.facts, []),
    words: (cell) => of(cell, grid.words, l10n.t('{0}: not in this report', lacking(cell))),
  };
}

function moved(values: Float64Array, positions: number, axes: Axes, places: Places): Float64Array {
  const all = new Float64Array(axes.rows.length * axes.positions).fill(notCompared);
  places.forEach((from, to) => {
    if (from >= 0) all.set(values.subarray(from * positions, (from + 1) * positions), to * axes.positions);
  });
  return all;
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Cells of the common axes. Two maps of the largest size on the same axes stay far below; only one of many rows and one of many positions come near it. */
const mostCells = 16_000_000;

/** Both share their axes, and one colour scale for each measure that both have: none where the axes together have more cells than can be laid out. */
export function align(a: Grid, b: Grid): Aligned {
  const [keysA, keysB] = [keysOf(a.rows), keysOf(b.rows)];
  const merged = mergedKeys(keysA, keysB);
  const [placesA, placesB] = [placesOf(keysA, merged), placesOf(keysB, merged)];
  const rows = merged.flatMap((_, i) => a.rows[placesA[i] ?? -1] ?? b.rows[placesB[i] ?? -1] ?? []);
  const axes: Axes = { rows, positions: Math.max(a.positions, b.positions) };
  const measures = rows.length * axes.positions > mostCells ? [] : a.measures.filter(({ name }) => b.measures.some((other) => other.name === name));
  const spreads = new Map<MeasureName, Float64Array>();
  const spread = (measure: MeasureName): Float64Array => {
    const both = spreads.get(measure) ?? joined(a.values(measure), b.values(measure));
    spreads.set(measure, both);
    return both;
  };
  const only = (places: Places): string[] => rows.filter((_, i) => (places[i] ?? -1) < 0).map(({ label }) => label);
  return { a: placed(a, axes, placesA, spread, measures), b: placed(b, axes, placesB, spread, measures), rowsOnlyA: only(placesB), rowsOnlyB: only(placesA), positionsA: a.positions, positionsB: b.positions };
}
