// What the machine allows: L(W) = max(weight bytes / read bandwidth, W x multiply-adds / int16 peak).
import type { LimitName } from '../run/limits';
import type { Raw } from './raw';
import { median, spread, type Spread } from './stats';

/** The best try of each round, over the rounds. Null when nothing was measured with so many threads. */
export function limitRate({ limits }: Pick<Raw, 'limits'>, threads: number, name: LimitName): Spread | null {
  const found = limits.find((one) => one.threads === threads);
  return found === undefined ? null : spread(found.rounds.map((round) => Math.max(...round[name])));
}

export interface Bound {
  /** Milliseconds. */
  readonly ms: number;
  readonly readMs: number;
  readonly multiplyMs: number;
}

/** The least time of a call that reads `bytes` and makes `multiplyAdds`. NaN where the limits are not known. */
export function boundOf(raw: Pick<Raw, 'limits'>, threads: number, bytes: number, multiplyAdds: number): Bound {
  const readMs = (1000 * bytes) / (limitRate(raw, threads, 'read')?.median ?? NaN);
  const multiplyMs = (1000 * multiplyAdds) / (limitRate(raw, threads, 'int16')?.median ?? NaN);
  return { ms: Math.max(readMs, multiplyMs), readMs, multiplyMs };
}

/** Median of the rounds' medians, so that a round that was disturbed counts once. */
export function overRounds(rounds: readonly (readonly number[])[]): Spread | null {
  return spread(rounds.filter((round) => round.length > 0).map(median));
}
