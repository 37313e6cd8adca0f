// What cells hold, as text for the clipboard and as a table.
import type { Cell, Grid, Measure } from '../grid';
import { notCompared } from '../measures';
import { csvOf, pasted, type Field } from './csv';

/** A table of more cells would not open in the programs it is for. */
export const cellsLimit = 1_000_000;

const asInFiles = (grid: Grid): Grid => grid.english?.() ?? grid;

/** The quantity of a cell by a measure: a number, or words where colours stand for words. Null: not compared. */
export function fieldOf({ scale, choices, meant = (value) => value }: Measure, value: number): Field {
  if (value === notCompared) return null;
  if (scale === 'choice' || scale === 'delta') return value === 0 ? 'equal' : (choices?.[value - 1] ?? '');
  // Bytes differ where the measure sees no distance.
  if (value === Number.MIN_VALUE) return 'differs';
  return value === 0 ? 0 : meant(value);
}

/** A cell's name, what it is and its facts, a line each. */
export function cellText(grid: Grid, cell: Cell): string {
  const about = grid.about(cell);
  return [grid.place(cell), ...(about === '' ? [] : [about]), ...grid.facts(cell).map(([name, value]) => `${name}: ${value}`)].join('\n');
}

/** A row by a measure, tab separated below its positions, in the words of a file. A lane gives its tokens. */
export function rowText(shown: Grid, { name }: Pick<Measure, 'name'>, row: number): string {
  const grid = asInFiles(shown);
  const measure = grid.measures.find((one) => one.name === name) ?? grid.measures[0];
  if (measure === undefined) return '';
  const values = grid.values(measure.name);
  const held = (position: number): Field => (grid.tokens === undefined ? fieldOf(measure, values[row * grid.positions + position] ?? notCompared) : (grid.tokens.token({ row, position })?.text ?? null));
  const positions = Array.from({ length: grid.positions }, (_, position) => position);
  const label = grid.rows[row]?.label ?? '';
  return `${[['position', ...positions], [grid.tokens === undefined ? `${label}, ${measure.describes}` : label, ...positions.map(held)]].map((fields) => fields.map(pasted).join('\t')).join('\n')}\n`;
}

function* layerRows({ rows, positions, measures, values }: Grid): Iterable<readonly Field[]> {
  yield ['row', 'kind', 'layer', 'position', ...measures.map(({ name }) => name)];
  const columns = measures.map((measure) => ({ measure, values: values(measure.name) }));
  for (const [at, { label, kind, layer }] of rows.entries()) {
    for (let position = 0; position < positions; position++) {
      yield [label, kind, layer ?? null, position, ...columns.map(({ measure, values: all }) => fieldOf(measure, all[at * positions + position] ?? notCompared))];
    }
  }
}

function* laneRows({ rows, positions, measures: [measure], values }: Grid, token: NonNullable<Grid['tokens']>['token']): Iterable<readonly Field[]> {
  yield ['lane', 'position', 'id', 'text', 'state'];
  if (measure === undefined) return;
  const states = values(measure.name);
  for (const [row, { label }] of rows.entries()) {
    for (let position = 0; position < positions; position++) {
      const own = token({ row, position });
      yield [label, position, own === undefined || own.id < 0 ? null : own.id, own?.text ?? null, own === undefined ? 'ended' : fieldOf(measure, states[row * positions + position] ?? notCompared)];
    }
  }
}

/** All cells of a map, one a line: rows, kinds, layers and every measure, or the tokens of lanes. Null: more than `cellsLimit`. */
export function cellsCsv(shown: Grid): string | null {
  if (shown.rows.length * shown.positions > cellsLimit) return null;
  const grid = asInFiles(shown);
  return csvOf(grid.tokens === undefined ? layerRows(grid) : laneRows(grid, grid.tokens.token));
}
