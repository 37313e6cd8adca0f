// Two reports against each other: what they were, which runs belong together, and what became of every cell.
import type { Report } from '../../../shared/report';
import { sameCell, type Grid } from '../grid';
import { mappedRuns } from '../grids';
import { inEnglish } from '../language';
import { sayingsOf, type Saying } from './accounts';
import { align, type Aligned } from './align';
import { countsOf, deltaGrid, type Counts } from './delta';
import { differencesOf, type Difference } from './facts';
import { pairRuns, type RunPair } from './pairs';

/** A pair of runs whose maps can be laid over each other. */
export interface MapPair extends Aligned {
  readonly delta: Grid;
}

export interface ComparedRun extends RunPair {
  /** Null where one of them has no map. */
  readonly maps: MapPair | null;
}

export interface Comparison {
  readonly a: Report;
  readonly b: Report;
  /** Reports of two kinds have nothing in common but verdict and provenance. */
  readonly sameKind: boolean;
  readonly differences: readonly Difference[];
  readonly runs: readonly ComparedRun[];
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  /** What their accounts say differently. */
  readonly sayings: readonly Saying[];
}

function mapsOf({ a: { grid: a }, b: { grid: b } }: RunPair): MapPair | null {
  if (a === null || b === null) return null;
  const aligned = align(a, b);
  if (aligned.a.measures.length === 0) return null;
  const english = (): Grid => inEnglish(() => deltaGrid(align(a.english?.() ?? a, b.english?.() ?? b)));
  return { ...aligned, delta: { ...deltaGrid(aligned), english } };
}

/** The maps of a pair are laid over each other when they are first asked for. */
function comparedRun(pair: RunPair): ComparedRun {
  let maps: MapPair | null | undefined;
  return {
    ...pair,
    get maps() {
      return (maps ??= mapsOf(pair));
    },
  };
}

export function comparisonOf(a: Report, b: Report): Comparison {
  const sameKind = a.kind === b.kind;
  const { pairs, onlyA, onlyB } = sameKind ? pairRuns(mappedRuns(a), mappedRuns(b)) : { pairs: [], onlyA: [], onlyB: [] };
  return {
    a,
    b,
    sameKind,
    differences: differencesOf(a, b),
    runs: pairs.map(comparedRun),
    onlyA: onlyA.map(({ label }) => label),
    onlyB: onlyB.map(({ label }) => label),
    sayings: sameKind ? sayingsOf(a, b) : [],
  };
}

/** By the first measure; which cells are fixed and new is the same by every measure. */
export function runCounts({ maps }: ComparedRun): Counts | null {
  const [measure] = maps?.delta.measures ?? [];
  return maps === null || measure === undefined ? null : countsOf(maps.delta, measure.name);
}


/** By every measure. */
function sameMaps({ a, b, delta, rowsOnlyA, rowsOnlyB, positionsA, positionsB }: MapPair): boolean {
  if (rowsOnlyA.length + rowsOnlyB.length > 0 || positionsA !== positionsB || !sameCell(a.first, b.first)) return false;
  return delta.measures.every(({ name }) => {
    const { fixed, less, worse, new: added } = countsOf(delta, name);
    return fixed + less + worse + added === 0;
  });
}

const sameRun = ({ a, b, maps }: ComparedRun): boolean => a.word === b.word && maps !== null && sameMaps(maps);

/** All that a probe found, as text; not how it was asked, where it ran and how long it took. */
function found({ format: _format, version: _version, experiment: _experiment, provenance: _provenance, coverage: _coverage, run: _run, verdict: _verdict, ...result }: Report): string {
  return JSON.stringify(result);
}

/** Whether both found the same: verdicts, and every cell of every map. Where there is a run without a map, all that the reports hold of what was found. */
export function sameResults({ a, b, sameKind, runs, onlyA, onlyB }: Comparison): boolean {
  if (!sameKind || a.verdict.word !== b.verdict.word || a.complete !== b.complete || onlyA.length + onlyB.length > 0) return false;
  const mapped = runs.length > 0 && runs.every(({ maps }) => maps !== null);
  return mapped ? runs.every(sameRun) : found(a) === found(b);
}
