// A cell's taps as a lane: nodes in data order on rails, one a branch, with the lines that data takes between them.
import { greatest } from '../../shared/extremes';
import type { MapRow } from '../../shared/report';
import { laneTaps, type LaneTap } from './laneTaps';
import type { TapRow } from './tapList';

export interface LaneNode extends TapRow {
  readonly rail: number;
  /** Places in the lane, the main one first. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Data that goes from one node to a later one, along a rail. */
export interface LaneLine {
  readonly from: number;
  readonly to: number;
  readonly rail: number;
}

export interface Lane {
  readonly nodes: readonly LaneNode[];
  readonly lines: readonly LaneLine[];
  readonly rails: number;
  /** The first node that differs, -1 for none. */
  readonly first: number;
}

interface Placed {
  readonly tap: TapRow;
  readonly place: LaneTap;
}

const missing = (tap: string): TapRow => ({ tap, state: 'notCaptured', differing: -1, bytes: 0, differingBytes: 0, maxUlp: 0, relL2: 0, kernel: undefined });

/** The taps of a cell and those that its kind of row makes and that were not compared. Every tap has one place, known or not. */
export function laneOf(kind: MapRow['kind'], taps: readonly TapRow[]): Lane {
  if (taps.length === 0) return { nodes: [], lines: [], rails: 0, first: -1 };
  const placed = place(laneTaps[kind], taps);
  const at = new Map(placed.map(({ tap }, i) => [tap.tap, i]));
  const lines = placed.flatMap(({ place: { from, via = {}, rail } }, to) =>
    from.flatMap((name): LaneLine[] => {
      const source = at.get(present(name, at, laneTaps[kind]));
      // A report may name taps in another order than data has; a line never goes back.
      if (source === undefined || source >= to) return [];
      return [{ from: source, to, rail: via[name] ?? Math.max(rail, placed[source]?.place.rail ?? 0) }];
    }),
  );
  const nodes = placed.map(({ tap, place: { rail } }): LaneNode & { from: number[]; to: number[] } => ({ ...tap, rail, from: [], to: [] }));
  for (const { from, to } of lines) {
    nodes[from]?.to.push(to);
    nodes[to]?.from.push(from);
  }
  return { nodes, lines, rails: 1 + widest([...lines, ...nodes]), first: nodes.findIndex(({ state }) => state === 'differs') };
}

const widest = (placed: readonly { readonly rail: number }[]): number => placed.reduce((most, { rail }) => Math.max(most, rail), 0);

/** Known taps on their rails; one that the table does not know on a rail of its own, after its predecessor. */
function place(known: Readonly<Record<string, LaneTap>>, taps: readonly TapRow[]): readonly Placed[] {
  const outside = 1 + greatest(Object.values(known).flatMap(({ rail, via = {} }) => [rail, ...Object.values(via)]));
  const all = withMissing(known, taps);
  return all.map((tap, i): Placed => {
    const place = Object.hasOwn(known, tap.tap) ? known[tap.tap] : undefined;
    const before = all[i - 1];
    return { tap, place: place ?? { rail: outside, from: before === undefined ? [] : [before.tap] } };
  });
}

/** The taps in their own order; each that was not compared stands before the next known one after it in the table. */
function withMissing(known: Readonly<Record<string, LaneTap>>, taps: readonly TapRow[]): readonly TapRow[] {
  const here = new Set(taps.map(({ tap }) => tap));
  if (!Object.keys(known).some((name) => here.has(name))) return taps;
  const all = [...taps];
  let next = all.length;
  for (const [name, { optional }] of Object.entries(known).reverse()) {
    if (here.has(name)) next = all.findIndex(({ tap }) => tap === name);
    else if (optional !== true) all.splice(next, 0, missing(name));
  }
  return all;
}

/** The tap, or where the model has none of this name the one that stands in for it: what it would be made from. */
function present(name: string, at: ReadonlyMap<string, number>, known: Readonly<Record<string, LaneTap>>): string {
  let found = name;
  while (!at.has(found)) {
    const next = known[found]?.from[0];
    if (next === undefined) break;
    found = next;
  }
  return found;
}

export type LaneKey = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight' | 'Home' | 'End';
export const isLaneKey = (key: string): key is LaneKey => ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key);

/** Where a key leads from a node: along the data, to a branch beside it, to an end. The same node where it leads nowhere. */
export function along({ nodes }: Lane, at: number, key: LaneKey): number {
  const node = nodes[at];
  if (node === undefined) return at;
  switch (key) {
    case 'ArrowDown':
      return node.to[0] ?? at;
    case 'ArrowUp':
      return node.from[0] ?? at;
    case 'ArrowLeft':
      return beside(nodes, at, -1);
    case 'ArrowRight':
      return beside(nodes, at, 1);
    case 'Home':
      return 0;
    case 'End':
      return nodes.length - 1;
  }
}

/** The node of a parallel branch on the next rail of that side: one that neither makes this one nor is made from it, as near in data order as there is. */
function beside(nodes: readonly LaneNode[], at: number, side: 1 | -1): number {
  const related = new Set([...reached(nodes, at, 'from'), ...reached(nodes, at, 'to')]);
  const own = nodes[at]?.rail ?? 0;
  let best = at;
  let bestRank: readonly [number, number] = [Infinity, Infinity];
  nodes.forEach(({ rail }, i) => {
    const away = (rail - own) * side;
    if (away <= 0 || related.has(i)) return;
    const rank = [away, Math.abs(i - at)] as const;
    if (rank[0] < bestRank[0] || (rank[0] === bestRank[0] && rank[1] < bestRank[1])) [best, bestRank] = [i, rank];
  });
  return best;
}

function reached(nodes: readonly LaneNode[], at: number, way: 'from' | 'to'): ReadonlySet<number> {
  const seen = new Set([at]);
  for (const i of seen) for (const next of nodes[i]?.[way] ?? []) seen.add(next);
  return seen;
}

/** The next (1) or previous (-1) node that differs, -1 where there is none in this lane. */
export function differingNode({ nodes }: Lane, at: number, step: 1 | -1): number {
  for (let i = at + step; i >= 0 && i < nodes.length; i += step) if (nodes[i]?.state === 'differs') return i;
  return -1;
}

/** A piece of a line in one row of the lane: down a rail through it, from the node to a rail below, or from a rail above to the node. */
export interface LanePiece {
  readonly line: number;
  readonly how: 'through' | 'leaves' | 'arrives';
  readonly rail: number;
}

/** The pieces of each row. */
export function piecesOf({ nodes, lines }: Lane): readonly (readonly LanePiece[])[] {
  const rows = nodes.map((): LanePiece[] => []);
  lines.forEach(({ from, to, rail }, line) => {
    rows[from]?.push({ line, how: 'leaves', rail });
    for (let row = from + 1; row < to; row++) rows[row]?.push({ line, how: 'through', rail });
    rows[to]?.push({ line, how: 'arrives', rail });
  });
  return rows;
}
