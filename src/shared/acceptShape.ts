// Histogram and acceptance by position of a request: as its log prints them, or counted from its rounds.
import type { Counts } from './capture';
import { sum } from './sum';

export interface PositionShare {
  readonly share: number;
  /** Rounds whose draft at this position survived, and rounds that drafted it; null where the log prints the share alone. */
  readonly survived: number | null;
  readonly drafted: number | null;
}

export interface AcceptShape {
  /** Entry j: rounds that accepted j drafts. */
  readonly histogram: readonly number[] | null;
  readonly positions: readonly PositionShare[] | null;
}

/** Entry j: values that are j. */
function tally(values: readonly number[]): number[] {
  const counts: number[] = [];
  for (const value of values) {
    while (counts.length <= value) counts.push(0);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

/** Entry k: values above k. */
function above(counts: readonly number[]): number[] {
  const more: number[] = [];
  let total = 0;
  for (let k = counts.length - 1; k > 0; k -= 1) {
    total += counts[k] ?? 0;
    more[k - 1] = total;
  }
  return more;
}

/** Draft k survived where more than k drafts were accepted. Where the width varies, its share is of the rounds that drafted it. */
function countedPositions(accepted: readonly number[], drafted: readonly number[] | null): PositionShare[] {
  const survived = above(tally(accepted));
  const proposed = drafted?.length === accepted.length ? above(tally(drafted)) : survived.map(() => accepted.length);
  return proposed.map((of, k) => ({ share: (survived[k] ?? 0) / of, survived: survived[k] ?? 0, drafted: of }));
}

/** Consecutive rounds taken together, of a request that is drawn as a whole. */
export interface TimelineBin {
  /** Places in the list of rounds: inside, outside. */
  readonly from: number;
  readonly to: number;
  readonly accepted: number;
  readonly drafted: number;
}

/** All rounds in at most `most` bins of one size; null where the log does not give accepted and drafted counts of every round. */
export function timelineOf({ accepted, drafted }: Pick<Counts, 'accepted' | 'drafted'>, most: number): TimelineBin[] | null {
  if (accepted === null || drafted?.length !== accepted.length) return null;
  const size = Math.max(1, Math.ceil(accepted.length / most));
  return Array.from({ length: Math.ceil(accepted.length / size) }, (_, i) => {
    const [from, to] = [i * size, Math.min(accepted.length, (i + 1) * size)];
    return { from, to, accepted: sum(accepted.slice(from, to)), drafted: sum(drafted.slice(from, to)) };
  });
}

/** What a log may claim is without end; nothing wider than this is drawn. */
export const widest = 1024;

export function shapeOf({ accepted, drafted, histogram, perPosition, perPositionCounts }: Pick<Counts, 'accepted' | 'drafted' | 'histogram' | 'perPosition' | 'perPositionCounts'>): AcceptShape {
  const narrow = accepted !== null && accepted.length > 0 && [accepted, drafted ?? []].every((list) => list.every((value) => value <= widest));
  const printed = perPosition?.map((share, k) => ({ share, survived: perPositionCounts?.[k] ?? null, drafted: null })) ?? null;
  return {
    histogram: (histogram ?? (narrow ? tally(accepted) : null))?.slice(0, widest + 1) ?? null,
    positions: (narrow ? countedPositions(accepted, drafted) : printed)?.slice(0, widest) ?? null,
  };
}
