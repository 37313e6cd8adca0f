// Identities between the figures of one request that need no model.
import type { Counts } from '../../shared/capture';
import { sum } from '../../shared/sum';
import { survivors, type Stated } from './counts';
import { isNear, type Ratio } from './text';

export interface Violation {
  readonly identity: string;
  readonly sentence: string;
  readonly round?: number;
  readonly severity?: 'note';
}

const isNumber = (value: number | null | undefined): value is number => value !== null && value !== undefined;

function equal(identity: string, left: string, a: number | null | undefined, right: string, b: number | null | undefined): Violation[] {
  return !isNumber(a) || !isNumber(b) || a === b ? [] : [{ identity, sentence: `${left} is ${a}, but ${right} is ${b}` }];
}

function roundsAgree(stated: Stated): Violation[] {
  const { roundCount, accepted, drafted, histogram, zero, partial, full } = stated;
  const buckets = isNumber(zero) && isNumber(partial) && isNumber(full) ? zero + partial + full : null;
  return [
    ...equal('length of the vector', 'the number of accepted values', accepted?.length, 'the number of rounds', roundCount),
    ...equal('length of the vector', 'the number of accepted values', accepted?.length, 'the number of draft lengths', drafted?.length),
    ...equal('sum of the histogram', 'the sum of the histogram', histogram && sum(histogram), 'the number of rounds', roundCount ?? accepted?.length),
    ...equal('zero + partial + full', 'zero + partial + full', buckets, 'the number of rounds', roundCount ?? accepted?.length),
  ];
}

function sumsAgree(stated: Stated, { acceptedSum, proposedSum }: Counts): Violation[] {
  const { accepted, drafted, histogram, perPositionCounts } = stated;
  const weighted = histogram && sum(histogram.map((rounds, j) => rounds * j));
  return [
    ...equal('sum of accepted', 'the sum of the accepted values', accepted && sum(accepted), 'the accepted total', stated.acceptedSum),
    ...equal('sum of drafted', 'the sum of the draft lengths', drafted && sum(drafted), 'the drafted total', stated.proposedSum),
    ...equal('weighted sum of the histogram', 'the accepted sum of the histogram', weighted, 'the accepted total', stated.acceptedSum ?? (accepted && sum(accepted))),
    ...equal('sum over positions', 'the sum over positions', perPositionCounts && sum(perPositionCounts), 'the accepted total', stated.acceptedSum),
    ...(isNumber(acceptedSum) && isNumber(proposedSum) && acceptedSum > proposedSum ? [{ identity: 'accepted <= drafted', sentence: `${acceptedSum} drafts were accepted, but only ${proposedSum} were drafted` }] : []),
  ];
}

/** The first round that accepted more than was drafted. */
export function withinWidth({ accepted, drafted }: Pick<Counts, 'accepted' | 'drafted'>): Violation[] {
  const round = accepted?.findIndex((value, i) => value > (drafted?.[i] ?? Infinity)) ?? -1;
  if (round < 0) return [];
  const drafts = drafted?.[round] ?? 0;
  return [{ identity: 'accepted <= width - 1', sentence: `round ${round} accepted ${accepted?.[round] ?? 0} drafts, but a block of width ${drafts + 1} has ${drafts}`, round }];
}

/** The histogram is of the vector, entry by entry. */
function histogramFits({ accepted, histogram }: Stated): Violation[] {
  if (!accepted || !histogram) return [];
  const counted = histogram.map(() => 0);
  for (const value of accepted) if (value < counted.length) counted[value] = (counted[value] ?? 0) + 1;
  const at = histogram.findIndex((rounds, j) => rounds !== counted[j]);
  return at < 0 ? [] : [{ identity: 'histogram of the vector', sentence: `the histogram says ${histogram[at] ?? 0} rounds accepted ${at}, the accepted values say ${counted[at] ?? 0}` }];
}

function positionsFall(stated: Stated, { perPosition, roundCount, acceptedSum }: Counts): Violation[] {
  if (perPosition === null) return [];
  const at = perPosition.findIndex((share, k) => k > 0 && share > (perPosition[k - 1] ?? 0) + 1e-9);
  const rising = at < 0 ? [] : [{ identity: 'per-position rates fall', sentence: `position ${at} survived more often (${perPosition[at] ?? 0}) than position ${at - 1} (${perPosition[at - 1] ?? 0})` }];
  if (!stated.perPosition || !isNumber(roundCount) || !isNumber(acceptedSum)) return rising;
  const slack = sum(stated.perPosition.map(({ tolerance }) => tolerance)) * roundCount + 0.5;
  const total = sum(perPosition) * roundCount;
  if (Math.abs(total - acceptedSum) <= slack) return rising;
  return [...rising, { identity: 'sum over positions', sentence: `the per-position rates give ${total.toFixed(1)} accepted drafts over ${roundCount} rounds, but the accepted total is ${acceptedSum}` }];
}

function histogramMatchesPositions({ histogram, perPositionCounts }: Stated): Violation[] {
  if (!histogram || !perPositionCounts) return [];
  const expected = survivors(histogram);
  const at = perPositionCounts.findIndex((count, k) => count !== (expected[k] ?? 0));
  return at < 0 ? [] : [{ identity: 'histogram against positions', sentence: `position ${at} survived ${perPositionCounts[at] ?? 0} times, the histogram says ${expected[at] ?? 0}` }];
}

function ratio(identity: string, name: string, stated: Ratio | null | undefined, value: number | null, meaning: string): Violation[] {
  if (!stated || value === null || isNear(stated, value)) return [];
  return [{ identity, sentence: `${name} is printed as ${String(Number(stated.value.toPrecision(6)))}, but ${meaning} is ${String(Number(value.toPrecision(6)))}` }];
}

/** Over which denominator a rate was formed. */
export function denominatorOf(rate: Ratio, acceptedSum: number, proposedSum: number | null, generated: number | null): 'drafted' | 'generated' | 'neither' {
  if (proposedSum !== null && isNear(rate, proposedSum === 0 ? 0 : acceptedSum / proposedSum)) return 'drafted';
  return generated !== null && generated > 0 && isNear(rate, acceptedSum / generated) ? 'generated' : 'neither';
}

function rates(stated: Stated, { acceptedSum, proposedSum, generatedTokens, meanLengthWithBonus, roundCount }: Counts): Violation[] {
  const { acceptanceRate, ratioOverGenerated } = stated;
  const overGenerated = isNumber(acceptedSum) && isNumber(generatedTokens) && generatedTokens > 0 ? acceptedSum / generatedTokens : null;
  const mean = isNumber(roundCount) && roundCount > 0 ? meanLengthWithBonus : null;
  const found = [
    ...ratio('mean length', 'the mean length', stated.meanLengthWithBonus, mean, '1 + accepted / rounds'),
    ...ratio('ratio over generated', 'the ratio', ratioOverGenerated, overGenerated, 'accepted / generated'),
  ];
  if (!acceptanceRate || !isNumber(acceptedSum) || !isNumber(proposedSum)) return found;
  const denominator = denominatorOf(acceptanceRate, acceptedSum, proposedSum, generatedTokens);
  if (denominator === 'drafted') return found;
  if (denominator === 'generated') return [...found, { identity: 'denominator of the rate', sentence: `the rate is accepted / generated (${generatedTokens ?? 0}), not accepted / drafted (${proposedSum})`, severity: 'note' }];
  const share = proposedSum === 0 ? 0 : acceptedSum / proposedSum;
  return [...found, ...ratio('acceptance rate', 'the acceptance rate', acceptanceRate, share, 'accepted / drafted')];
}

/** Next position = position + accepted + 1. */
function positionsChain({ positions, accepted }: Counts): Violation[] {
  if (positions === null || accepted === null) return [];
  const round = positions.findIndex((position, i) => i > 0 && position !== (positions[i - 1] ?? 0) + (accepted[i - 1] ?? 0) + 1);
  if (round < 0) return [];
  const next = (positions[round - 1] ?? 0) + (accepted[round - 1] ?? 0) + 1;
  return [{ identity: 'chain of positions', sentence: `round ${round} starts at position ${positions[round] ?? 0}, but position + accepted + 1 of the round before is ${next}`, round }];
}

/** All identities of one request that its own figures allow. */
export function countViolations(stated: Stated, counts: Counts, roundsChecked = false): Violation[] {
  return [
    ...(roundsChecked ? [] : withinWidth(counts)),
    ...roundsAgree(stated),
    ...sumsAgree(stated, counts),
    ...histogramFits(stated),
    ...histogramMatchesPositions(stated),
    ...positionsFall(stated, counts),
    ...positionsChain(counts),
    ...rates(stated, counts),
  ];
}

/** Generated tokens, with the first one, against rounds + accepted: one more, less what was cut from the last round. */
export function tokenViolation(generated: number, roundCount: number, acceptedSum: number, lastKept: number | null): Violation[] {
  const cut = 1 + roundCount + acceptedSum - generated;
  const most = lastKept === null ? Infinity : Math.max(0, lastKept - 1);
  if (roundCount === 0 ? generated <= 1 : cut >= 0 && cut <= most) return [];
  const why = cut < 0 || roundCount === 0 ? `${-cut} more than that` : `a cut of ${cut}, but the last round kept ${lastKept ?? 0} rows, so at most ${most} can be cut`;
  return [{ identity: 'tokens = 1 + rounds + accepted - cut', sentence: `${generated} tokens were generated, 1 + ${roundCount} rounds + ${acceptedSum} accepted is ${1 + roundCount + acceptedSum}: ${why}` }];
}
