// Gathers tap differences, position by position, into the layer x position matrix, the list of differing taps, tiles and the first place.
import type { LayerKind, BisectRun, CellMatrix, DifferingTaps, FirstDivergence, MapRow, Tile } from '../../shared/report';
import type { ModelInfo, Tap, TapInfo, TensorDiff } from '../types';
import { larger, round } from './numbers';

/** Listed differing taps and kept tiles a run: a report of many layers and positions stays a few MB. */
export const caps = { taps: 40_000, tiles: 512, tileElements: 32 } as const;

export function mapRows(info: ModelInfo): MapRow[] {
  return [
    { label: 'embedding', layer: -1, kind: 'embedding' },
    ...info.layers.map(({ index, kind }): MapRow => ({ label: `layer ${index}`, layer: index, kind })),
    { label: 'head', layer: info.layers.length, kind: 'head' },
  ];
}

interface Entry {
  readonly row: number;
  readonly tap: string;
  readonly order: number;
  readonly position: number;
  readonly diff: TensorDiff;
  readonly tile: number;
}

/** Data order: row, op, position. */
function before(a: Entry, b: Entry): number {
  return a.row - b.row || a.order - b.order || a.position - b.position;
}

function emptyColumns(): DifferingTaps {
  return { row: [], tap: [], position: [], bytes: [], differingBytes: [], elements: [], differingElements: [], maxUlp: [], maxAbs: [], relL2: [], firstIndex: [], firstA: [], firstB: [], firstUlp: [], tile: [] };
}

function pushColumns(columns: DifferingTaps, { row, tap, position, diff, tile }: Entry): void {
  columns.row.push(row);
  columns.tap.push(tap);
  columns.position.push(position);
  columns.bytes.push(diff.bytes);
  columns.differingBytes.push(diff.differingBytes);
  columns.elements.push(diff.elements);
  columns.differingElements.push(diff.differingElements);
  columns.maxUlp.push(diff.maxUlp);
  columns.maxAbs.push(round(diff.maxAbs));
  columns.relL2.push(round(diff.relL2));
  columns.firstIndex.push(diff.first?.index ?? 0);
  columns.firstA.push(diff.first?.a ?? 0);
  columns.firstB.push(diff.first?.b ?? 0);
  columns.firstUlp.push(diff.first?.ulp ?? 0);
  columns.tile.push(tile);
}

export class TapCollector {
  readonly rows: MapRow[];
  /** Tensors compared, one a tap and position. */
  compared = 0;
  /** Bytes of taps that differ. */
  differingBytes = 0;
  private readonly order: ReadonlyMap<string, number>;
  private readonly cells: CellMatrix;
  private readonly names = new Map<string, Set<string>>();
  private readonly entries: Entry[] = [];
  private readonly tiles: Tile[] = [];
  private readonly capped = { taps: 0, tiles: 0 };
  private firstEntry: Entry | null = null;
  private position = 0;

  constructor(
    private readonly info: Pick<ModelInfo, 'layers' | 'taps'>,
    rows: MapRow[],
    positions: number,
  ) {
    this.rows = rows;
    this.order = new Map(info.taps.map(({ name }, i) => [name, i]));
    const cells = rows.length * positions;
    this.cells = { positions, rowBytes: rows.map(() => 0), differingBytes: zeros(cells), maxUlp: zeros(cells), relL2: zeros(cells) };
  }

  /** All taps of one position, in data order: `diffs[i]` belongs to `taps[i]`. */
  addPosition(taps: readonly Tap[], diffs: readonly TensorDiff[]): void {
    const bytes = this.rows.map(() => 0);
    const firstInCell = new Set<number>();
    taps.forEach((tap, i) => {
      const diff = diffs[i];
      if (diff === undefined) throw new Error(`no diff for tap ${tap.tap} of layer ${tap.layer}`);
      const row = tap.layer + 1;
      bytes[row] = (bytes[row] ?? 0) + diff.bytes;
      this.note(row, tap.tap);
      if (!diff.equal) this.addDifference(row, tap, diff, firstInCell);
    });
    this.cells.rowBytes = this.cells.rowBytes.map((now, row) => Math.max(now, bytes[row] ?? 0));
    this.position += 1;
  }

  private note(row: number, tap: string): void {
    const kind = this.rows[row]?.kind ?? 'head';
    const names = this.names.get(kind) ?? new Set<string>();
    this.names.set(kind, names.add(tap));
    this.compared += 1;
  }

  private addDifference(row: number, { tap, tensor }: Tap, diff: TensorDiff, firstInCell: Set<number>): void {
    const cell = row * this.cells.positions + this.position;
    this.cells.differingBytes[cell] = (this.cells.differingBytes[cell] ?? 0) + diff.differingBytes;
    this.cells.maxUlp[cell] = Math.max(this.cells.maxUlp[cell] ?? 0, diff.maxUlp);
    this.cells.relL2[cell] = larger(this.cells.relL2[cell] ?? 0, round(diff.relL2));
    this.differingBytes += diff.differingBytes;
    const important = !firstInCell.has(row);
    firstInCell.add(row);
    const entry: Entry = { row, tap, order: this.order.get(tap) ?? this.order.size, position: this.position, diff, tile: this.keepTile(tensor.dtype, tensor.shape, diff, important) };
    if (this.firstEntry === null || before(entry, this.firstEntry) < 0) this.firstEntry = entry;
    if (this.entries.length < caps.taps) this.entries.push({ ...entry, diff: { ...diff, tile: null } });
    else this.capped.taps += 1;
  }

  /** A tile for the first difference of every cell, and for the others as long as this position's share of the limit lasts. */
  private keepTile(dtype: string, shape: readonly number[], { tile }: TensorDiff, important: boolean): number {
    const share = Math.ceil((caps.tiles * (this.position + 1)) / Math.max(1, this.cells.positions));
    const limit = important ? caps.tiles : share;
    if (tile === null || this.tiles.length >= limit || this.entries.length >= caps.taps) {
      this.capped.tiles += 1;
      return -1;
    }
    return this.tiles.push({ dtype, shape: shape.slice(1), start: tile.start, a: tile.a, b: tile.b }) - 1;
  }

  private first(kernels: (layer: number, op: string) => { a: string; b: string }): FirstDivergence | null {
    const first = this.firstEntry?.diff.first ?? null;
    if (this.firstEntry === null || first === null) return null;
    const { row, tap, position } = this.firstEntry;
    const layer = this.rows[row]?.layer ?? row - 1;
    const { a: kernelA, b: kernelB } = kernels(layer, tap);
    return { row, layer, tap, position, element: first.index, a: first.a, b: first.b, aHex: first.aHex, bHex: first.bHex, ulp: first.ulp, kernelA, kernelB };
  }

  /** The tap parts of a run, over the positions that were added. `kernels` names what both arms ran for an op. */
  parts(kernels: (layer: number, op: string) => { a: string; b: string }): Pick<BisectRun, 'rows' | 'cells' | 'tapsCompared' | 'differing' | 'tiles' | 'first' | 'capped'> {
    const differing = emptyColumns();
    for (const entry of this.entries.toSorted(before)) pushColumns(differing, entry);
    const parts = { rows: this.rows, cells: this.cellsSoFar(), tapsCompared: this.tapsCompared(), differing, tiles: [...this.tiles], first: this.first(kernels) };
    return this.capped.taps + this.capped.tiles === 0 ? parts : { ...parts, capped: { ...this.capped } };
  }

  /** The matrix without the positions that are still to come: nothing is known of them. */
  private cellsSoFar(): CellMatrix {
    const { position: positions, cells } = this;
    if (positions === cells.positions) return cells;
    const cut = <T>(values: readonly T[]): T[] => this.rows.flatMap((_, row) => values.slice(row * cells.positions, row * cells.positions + positions));
    return { positions, rowBytes: [...cells.rowBytes], differingBytes: cut(cells.differingBytes), maxUlp: cut(cells.maxUlp), relL2: cut(cells.relL2) };
  }

  private tapsCompared(): Record<string, string[]> {
    const byOrder = (a: string, b: string): number => (this.order.get(a) ?? 0) - (this.order.get(b) ?? 0);
    return Object.fromEntries([...this.names].map(([kind, names]) => [kind, [...names].sort(byOrder)]));
  }

  /** Taps that the engine lists for this model and that never came. */
  missing(): string[] {
    const kinds = new Set<LayerKind | 'model'>([...this.info.layers.map(({ kind }) => kind), 'model']);
    const seen = new Set([...this.names.values()].flatMap((names) => [...names]));
    return this.info.taps.filter((tap: TapInfo) => tap.kinds.some((kind) => kinds.has(kind)) && !seen.has(tap.name)).map(({ name }) => name);
  }
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}
