// Accepted drafts round by round, as bars in a box of one unit a bar.
import { binsOf } from '../../model/plot';

export const mostBars = 96;

/** Mean of the accepted drafts of each bar's rounds; a round is a bar as long as there is room. */
export function barsOf(acceptedPerRound: readonly number[]): readonly number[] {
  const rounds = acceptedPerRound.length;
  const bins = binsOf({ from: 0, size: rounds }, Math.min(rounds, mostBars));
  return bins.map(({ first, last }) => acceptedPerRound.slice(first, last).reduce((sum, n) => sum + n, 0) / (last - first));
}

/** The path of the bars, `high` units high; a round without an accepted draft leaves its place empty. */
export const pathOf = (bars: readonly number[], high: number): string => bars.flatMap((bar, i) => (bar > 0 ? [`M${i + 0.1} ${high}v${-bar}h0.8v${bar}z`] : [])).join('');
