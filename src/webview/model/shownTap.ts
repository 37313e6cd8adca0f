// What there is of the elements of a tap: the report's tile, or what the engine computed again.
import { headTaps, headsOf, type Heads } from '../../shared/headTaps';
import type { BisectReport, BisectRun } from '../../shared/report';
import type { ElementLoad } from '../elementLoads';
import { bytesOfBase64, pairOfTile, TensorPair } from './tensorPair';

export interface ShownTap {
  readonly report: BisectReport;
  readonly run: BisectRun;
  /** Places of run and tap in the report. */
  readonly at: { readonly run: number; readonly tap: number };
  readonly load: ElementLoad;
  /** Null: neither tile nor loaded elements. */
  readonly pair: TensorPair | null;
  readonly heads: Heads | null;
}

export function shownTap(report: BisectReport, run: BisectRun, at: ShownTap['at'], load: ElementLoad): ShownTap {
  const tile = run.tiles[run.differing.tile[at.tap] ?? -1];
  if (load.state === 'loaded') {
    const { a, b, heads, ...place } = load.answer;
    const pair = new TensorPair({ ...place, a: bytesOfBase64(a), b: bytesOfBase64(b) });
    return { report, run, at, load, pair, heads: headsOf(place.shape, heads) };
  }
  const total = run.differing.elements[at.tap] ?? 0;
  return { report, run, at, load, pair: tile ? pairOfTile(tile, total) : null, heads: tile ? headsOf(tile.shape, likeShape(run, at.tap)) : null };
}

/** The shape of a tap of the same heads, from a tile of the same kind of row. */
function likeShape({ differing, tiles, rows }: BisectRun, tap: number): readonly number[] | null {
  const name = headTaps[differing.tap[tap] ?? ''];
  const kindOf = (entry: number): string | undefined => rows[differing.row[entry] ?? -1]?.kind;
  const like = differing.tap.findIndex((other, entry) => other === name && (differing.tile[entry] ?? -1) >= 0 && kindOf(entry) === kindOf(tap));
  return tiles[differing.tile[like] ?? -1]?.shape ?? null;
}
