// The figures that all formats share: what a log states, and what follows from it.
import type { Counts } from '../../shared/capture';
import { sum } from '../../shared/sum';
import { isNear, wholeFrom, type Ratio } from './text';

type Given = Partial<Omit<Counts, 'acceptanceRate' | 'meanLengthWithBonus' | 'perPosition'>>;

/** What a log says, before anything was concluded. Ratios keep the precision they were printed with. */
export interface Stated extends Given {
  readonly acceptanceRate?: Ratio | null;
  readonly meanLengthWithBonus?: Ratio | null;
  /** Accepted drafts over generated tokens: another denominator than the rate. */
  readonly ratioOverGenerated?: Ratio | null;
  readonly perPosition?: readonly Ratio[] | null;
  /** Rows of every block, where one number holds for all. */
  readonly width?: number | null;
}

const both = <T>(a: number | null | undefined, b: number | null | undefined, join: (a: number, b: number) => T): T | null => (a === null || a === undefined || b === null || b === undefined ? null : join(a, b));
const known = <T>(...values: readonly (T | null | undefined)[]): T | null => values.find((value) => value !== null && value !== undefined) ?? null;
const over = (a: number, b: number): number | null => (b === 0 ? null : a / b);

/** Entry k: rounds that accepted more than k drafts. */
export function survivors(histogram: readonly number[]): number[] {
  const counts: number[] = [];
  let above = 0;
  for (let j = histogram.length - 1; j > 0; j -= 1) {
    above += histogram[j] ?? 0;
    counts[j - 1] = above;
  }
  return counts;
}

/** Drafts proposed in each round: as stated, or width - 1. */
function draftedOf({ drafted, width, accepted }: Stated): readonly number[] | null {
  if (drafted !== null && drafted !== undefined) return drafted;
  return width === null || width === undefined || accepted === null || accepted === undefined ? null : accepted.map(() => width - 1);
}

const countWhere = (values: readonly number[], test: (value: number, i: number) => boolean): number => values.reduce((n, value, i) => n + (test(value, i) ? 1 : 0), 0);

/** Zero, partial and full rounds of an ordered vector. A round without drafts is none of the three. */
function buckets(accepted: readonly number[] | null, drafted: readonly number[] | null): Pick<Counts, 'zero' | 'partial' | 'full' | 'rewinds'> {
  if (accepted === null) return { zero: null, partial: null, full: null, rewinds: null };
  if (drafted?.length !== accepted.length) return { zero: countWhere(accepted, (a) => a === 0), partial: null, full: null, rewinds: null };
  const of = (i: number): number => drafted[i] ?? 0;
  return {
    zero: countWhere(accepted, (a, i) => a === 0 && of(i) > 0),
    partial: countWhere(accepted, (a, i) => a > 0 && a < of(i)),
    full: countWhere(accepted, (a, i) => a >= of(i) && of(i) > 0),
    rewinds: countWhere(accepted, (a, i) => a < of(i)),
  };
}

interface Sums {
  readonly roundCount: number | null;
  readonly acceptedSum: number | null;
  readonly proposedSum: number | null;
}

/** From the vector where there is one, then as stated, then from the histogram. */
function sumsOf(stated: Stated): Sums {
  const { accepted, histogram } = stated;
  const drafted = draftedOf(stated);
  return {
    roundCount: known(accepted?.length, stated.roundCount, histogram && sum(histogram)),
    acceptedSum: known(accepted && sum(accepted), stated.acceptedSum, histogram && sum(histogram.map((rounds, j) => rounds * j))),
    proposedSum: known(drafted && drafted.length > 0 ? sum(drafted) : null, stated.proposedSum, drafted && 0),
  };
}

/** Shares as printed, or from counts of rounds. */
function positionsOf({ perPosition, perPositionCounts, histogram }: Stated, rounds: number | null): number[] | null {
  if (perPosition) return perPosition.map(({ value }) => value);
  const counts = perPositionCounts ?? (histogram ? survivors(histogram) : null);
  return counts === null || rounds === null || rounds === 0 ? null : counts.map((count) => count / rounds);
}

export function countsOf(stated: Stated): Counts {
  const { roundCount, acceptedSum, proposedSum } = sumsOf(stated);
  const accepted = stated.accepted ?? null;
  const drafted = draftedOf(stated);
  const found = buckets(accepted, drafted);
  const mean = both(acceptedSum, roundCount, (a, rounds) => (rounds === 0 ? null : 1 + a / rounds));
  return {
    roundCount,
    acceptedSum,
    proposedSum,
    accepted,
    keptRows: accepted?.map((value) => value + 1) ?? null,
    drafted,
    positions: stated.positions ?? null,
    keptSum: both(acceptedSum, roundCount, (a, rounds) => a + rounds),
    rewinds: known(found.rewinds, both(stated.zero, stated.partial, (zero, partial) => zero + partial)),
    zero: known(found.zero, stated.zero, stated.histogram?.[0]),
    partial: known(found.partial, stated.partial),
    full: known(found.full, stated.full),
    histogram: stated.histogram ?? null,
    perPosition: positionsOf(stated, roundCount),
    perPositionCounts: stated.perPositionCounts ?? null,
    acceptanceRate: known(both(acceptedSum, proposedSum, over), stated.acceptanceRate?.value),
    meanLengthWithBonus: known(mean, stated.meanLengthWithBonus?.value),
    promptTokens: stated.promptTokens ?? null,
    generatedTokens: stated.generatedTokens ?? null,
    cutInLastRound: stated.cutInLastRound ?? null,
  };
}

/**
 * Rounds where only a mean length is printed: drafted / drafts per block where that gives the mean, else accepted / (mean - 1) where the print is precise enough.
 */
export function roundsFromMean(acceptedSum: number | null, proposedSum: number | null, mean: Ratio | null, draftsPerBlock: number): number | null {
  if (acceptedSum === null || mean === null) return null;
  const full = proposedSum === null || draftsPerBlock === 0 ? 0 : proposedSum / draftsPerBlock;
  if (Number.isInteger(full) && full > 0 && isNear(mean, 1 + acceptedSum / full)) return full;
  return wholeFrom(acceptedSum, { value: mean.value - 1, tolerance: mean.tolerance });
}
