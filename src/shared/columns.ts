// Columnar parts of a report belong together: equal lengths, indices that point at something. The schema's types cannot say that.

/** What of a run the check reads. */
interface Columns {
  readonly rows: readonly unknown[];
  readonly cells: { readonly positions: number; readonly rowBytes: readonly unknown[]; readonly differingBytes: readonly unknown[]; readonly maxUlp: readonly unknown[]; readonly relL2: readonly unknown[] };
  readonly differing: { readonly row: readonly number[]; readonly position: readonly number[]; readonly tile: readonly number[] };
  readonly tiles: readonly { readonly a: string; readonly b: string }[];
  readonly logits: { readonly bytes: number };
  readonly blockIds: readonly unknown[];
  readonly first: { readonly row: number; readonly position: number } | null;
}

export interface ColumnFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function lengths(part: string, columns: object, expected: number): ColumnFault[] {
  return Object.entries(columns)
    .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
    .filter(([, values]) => values.length !== expected)
    .map(([name, values]) => ({ path: [part, name], message: `has ${values.length} entries where ${expected} belong` }));
}

function beyond(part: string, name: string, values: readonly number[], limit: number): ColumnFault[] {
  const at = values.findIndex((value) => value >= limit);
  return at < 0 ? [] : [{ path: [part, name, at], message: `is ${String(values[at])}, but there are ${limit}` }];
}

function tileFaults(tiles: Columns['tiles']): ColumnFault[] {
  const hex = /^(?:[0-9a-f]{2})*$/;
  const at = tiles.findIndex(({ a, b }) => a.length !== b.length || !hex.test(a) || !hex.test(b));
  return at < 0 ? [] : [{ path: ['tiles', at], message: 'holds no two equally long runs of hex bytes' }];
}

function firstFaults({ first, rows, cells }: Columns): ColumnFault[] {
  if (first === null) return [];
  return [...beyond('first', 'row', [first.row], rows.length), ...beyond('first', 'position', [first.position], cells.positions)].map(({ path, message }) => ({ path: path.slice(0, 2), message }));
}

/** Everything that does not fit together in a run, with its place inside the run. */
export function columnFaults(run: Columns): ColumnFault[] {
  const { positions, rowBytes, ...matrix } = run.cells;
  return [
    ...lengths('cells', { rowBytes }, run.rows.length),
    ...lengths('cells', matrix, run.rows.length * positions),
    ...(positions === run.blockIds.length ? [] : [{ path: ['cells', 'positions'], message: `is ${positions}, but the block has ${run.blockIds.length} ids` }]),
    ...lengths('differing', run.differing, run.differing.row.length),
    ...beyond('differing', 'row', run.differing.row, run.rows.length),
    ...beyond('differing', 'position', run.differing.position, positions),
    ...beyond('differing', 'tile', run.differing.tile, run.tiles.length),
    ...lengths('logits', run.logits, positions),
    ...tileFaults(run.tiles),
    ...firstFaults(run),
  ];
}
