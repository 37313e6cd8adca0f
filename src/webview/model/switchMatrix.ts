// A switch matrix as a picture reads it: the last switch across, a row for every value, or combination of values, of the others.
import { bytesLetters } from '../../shared/account/switches';
import type { Combination, SwitchControl, SwitchesResult } from '../../shared/results/switches';
import { isBad } from './lengths';

export interface MatrixCell {
  readonly combination: Combination;
  /** Equal letters, equal bytes. */
  readonly letter: string;
  readonly isFirstBad: boolean;
}

export interface MatrixRow {
  readonly label: string;
  /** Null: it did not run. */
  readonly cells: readonly (MatrixCell | null)[];
}

export interface SwitchMatrix {
  /** The switch across; "" where there is one switch, which stands in the rows. */
  readonly across: string;
  /** Of both no more than a picture has room for. */
  readonly columns: readonly string[];
  readonly rows: readonly MatrixRow[];
  /** How many of each there are. */
  readonly all: { readonly columns: number; readonly rows: number };
  readonly controls: readonly SwitchControl[];
  /** The first combination whose outcome differs, in the order in which they ran. */
  readonly firstBad: Combination | null;
}

const valueOf = ({ switches }: Combination, name: string): string => String(switches[name] ?? '');
const distinct = (values: readonly string[]): string[] => [...new Set(values)];

export const combinationInWords = ({ switches }: Combination): string => Object.entries(switches).map(([name, value]) => `${name}=${value}`).join(', ');

/** No matrix of a real probe has as many. */
const most = { rows: 64, columns: 32 } as const;

export function switchMatrix({ combinations, controls }: SwitchesResult): SwitchMatrix {
  const names = controls.map(({ name }) => name);
  const down = names.length > 1 ? names.slice(0, -1) : names;
  const across = names.length > 1 ? (names.at(-1) ?? '') : '';
  const label = (one: Combination): string => down.map((name) => `${name}=${valueOf(one, name)}`).join(', ');
  const firstBad = combinations.find(({ verdict: { word } }) => isBad(word)) ?? null;
  const letter = bytesLetters(combinations);
  const columns = across === '' ? [''] : distinct(combinations.map((one) => valueOf(one, across)));
  const byPlace = new Map(combinations.map((one) => [JSON.stringify([label(one), across === '' ? '' : valueOf(one, across)]), one]));
  const cell = (row: string, column: string): MatrixCell | null => {
    const combination = byPlace.get(JSON.stringify([row, column]));
    return combination === undefined ? null : { combination, letter: letter(combination.bytes), isFirstBad: combination === firstBad };
  };
  const rows = distinct(combinations.map(label));
  const shown = columns.slice(0, most.columns);
  return {
    across,
    columns: shown,
    rows: rows.slice(0, most.rows).map((row) => ({ label: row, cells: shown.map((column) => cell(row, column)) })),
    all: { columns: columns.length, rows: rows.length },
    controls,
    firstBad,
  };
}
