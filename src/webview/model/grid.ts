// What a heat map shows: rows x positions with a number a cell and measure, whatever report it comes from.
import type { MapRow } from '../../shared/report';
import type { Selection } from '../../shared/viewProtocol';

export interface Cell {
  readonly row: number;
  readonly position: number;
}

export const sameCell = (a: Cell | null, b: Cell | null): boolean => a === b || (a !== null && b !== null && a.row === b.row && a.position === b.position);

export type MeasureName = Selection['measure'];

export interface Measure {
  readonly name: MeasureName;
  readonly label: string;
  readonly describes: string;
  /** `share`: logarithmic up to 1, which is a bound. `choice`: two colours. `delta`: five colours, from mended to new. */
  readonly scale: 'log' | 'share' | 'choice' | 'delta';
  /** What cells without a value, and those of value 0 are, where it is another thing than "not compared" and "equal". */
  readonly gap?: string;
  readonly equal?: string;
  /** Its colours are those of drafts, where none is a difference. */
  readonly tones?: 'drafts';
  /** What the colours of a choice or a delta mean, the mildest first. */
  readonly choices?: readonly string[];
  /** The signs that stand for them beside their colours. */
  readonly signs?: readonly string[];
  readonly tick: (value: number) => string;
  /** The quantity itself, where the value is another one so that a larger is the graver. */
  readonly meant?: (value: number) => number;
}

/** Where something changes between a position and the one before it. */
export interface Boundary {
  readonly position: number;
  readonly label: string;
}

export type Facts = readonly (readonly [name: string, value: string])[];

export interface GridRow {
  readonly label: string;
  /** Null: no layer, but a lane of tokens. */
  readonly kind: MapRow['kind'] | null;
  /** Of rows that are layers; -1 for what stands before the first. */
  readonly layer?: number;
}

/** A round of speculation over the positions of a timeline. */
export interface Round {
  readonly from: number;
  /** Positions it gave; what it drafted beyond them was rejected and rewound. */
  readonly kept: number;
  readonly rejected: number;
  readonly label: string;
}

/** Told by shape as well as by colour. */
export type Sign = 'bonus' | 'rejected';

/** What makes a grid a timeline: its cells are tokens. */
export interface Tokens {
  readonly text: (cell: Cell) => string;
  /** Of a cell whose text is a number: how many positions, its own the last, the text may take. A part of a number would be another one, so it is written whole or not at all. */
  readonly room?: (cell: Cell) => number | null;
  /** As it was told, undefined where a lane has ended; an id of -1 is not known. */
  readonly token: (cell: Cell) => { readonly id: number; readonly text: string } | undefined;
  readonly sign?: (cell: Cell) => Sign | null;
  readonly rounds: readonly Round[];
  /** Whose rounds they are, where rows have others. */
  readonly roundsOf?: string;
}

export interface Grid {
  readonly rows: readonly GridRow[];
  readonly positions: number;
  /** What the first position is called, where the grid is a part of something longer; missing: 0. */
  readonly from?: number;
  /** Where the arms part. */
  readonly first: Cell | null;
  readonly measures: readonly Measure[];
  /** Row-major, see `measures.ts`; the same array each time. */
  readonly values: (measure: MeasureName) => Float64Array;
  /** What the colour scale is made of, where maps share one. Missing: the values. */
  readonly spread?: (measure: MeasureName) => Float64Array;
  readonly boundaries: readonly Boundary[];
  readonly tokens?: Tokens;
  /** A sign in a cell that has room for it, besides its colour. */
  readonly sign?: (cell: Cell, measure: MeasureName) => string;
  /** Cells, ascending, that hold what a text names: a tap that differs, or a token. */
  readonly holding: (text: string) => readonly number[];
  /** Of a cell: what it is called, what it is, what it holds, and all of it in a sentence. */
  readonly place: (cell: Cell) => string;
  readonly about: (cell: Cell) => string;
  readonly facts: (cell: Cell) => Facts;
  readonly words: (cell: Cell) => string;
  /** The same with English names and choices, for files. Missing: it has none of its own. */
  readonly english?: () => Grid;
}

/** Of a map: more would be hundreds of megabytes a measure. */
const mostCells = 2 ** 24;

/** Whether a map of this size has a picture: it holds something, and no more than a page can. */
export const isDrawable = (rows: number, positions: number): boolean => rows > 0 && positions > 0 && rows * positions <= mostCells;

const differingOf = new WeakMap<Grid, Int32Array>();

/** Cells that differ, ascending: data order. They are the same by every measure. */
export function differingCells(grid: Grid): Int32Array {
  const known = differingOf.get(grid);
  if (known !== undefined) return known;
  const [measure] = grid.measures;
  const cells: number[] = [];
  if (measure !== undefined) grid.values(measure.name).forEach((value, cell) => value > 0 && cells.push(cell));
  const found = Int32Array.from(cells);
  differingOf.set(grid, found);
  return found;
}
