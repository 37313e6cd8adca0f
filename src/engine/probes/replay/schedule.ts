// The rounds of a replay: how many rows each block has and how many of them are kept.
import { greatest } from '../../../shared/extremes';
import type { Schedule } from '../../../shared/results/replay';
import { formatCount } from '../../../shared/format';
import { badInput } from '../../problem';

export interface Counts {
  readonly rounds: number;
  /** Rounds that keep less than the whole block. */
  readonly rewinds: number;
  readonly keptSum: number;
  /** Kept rows without the bonus of each round. */
  readonly accepted: number;
  readonly zero: number;
  readonly partial: number;
  readonly full: number;
}

/**
 * Walks over `tokens` reference tokens in `batch` rows: block rows = min(width, what is left), kept rows = the list's next entry, cycled, at least 1 and at most the block.
 * Every row of a batch begins the list at another entry, so that rows keep different counts; it ends with the first row that reaches the end.
 */
export function cycled(kept: readonly number[], width: number, tokens: number, batch = 1): Schedule {
  const schedule: Schedule = { rows: [], kept: [] };
  const at = Array<number>(batch).fill(0);
  for (let round = 0; greatest(at) < tokens; round += 1) {
    const rows = Math.min(width, tokens - greatest(at));
    schedule.rows.push(rows);
    for (const row of at.keys()) {
      const keep = Math.min(Math.max(kept[(round + row) % kept.length] ?? 1, 1), rows);
      schedule.kept.push(keep);
      at[row] = (at[row] ?? 0) + keep;
    }
  }
  return schedule;
}

/** The rounds of a log as they were. */
export function logged(kept: readonly number[], widths: readonly number[]): Schedule {
  return { rows: [...widths], kept: [...kept] };
}

/** Of all rows of a batch together; `rounds` counts every row's. */
export function countsOf({ rows, kept }: Schedule): Counts {
  const batch = Math.max(1, kept.length / Math.max(1, rows.length));
  const blocks = kept.map((keep, i) => ({ keep, block: rows[Math.floor(i / batch)] ?? 0 }));
  const count = (which: (one: { keep: number; block: number }) => boolean): number => blocks.filter(which).length;
  const keptSum = kept.reduce((sum, keep) => sum + keep, 0);
  return {
    rounds: kept.length,
    rewinds: count(({ keep, block }) => keep < block),
    keptSum,
    accepted: keptSum - kept.length,
    zero: count(({ keep, block }) => keep === 1 && block > 1),
    partial: count(({ keep, block }) => keep > 1 && keep < block),
    full: count(({ keep, block }) => keep === block),
  };
}

/** Throws a Problem for a list that a block of `width` rows cannot keep. */
export function checkKept(kept: readonly number[], width: number, place: string): void {
  const at = kept.findIndex((keep) => keep > width);
  if (at < 0) return;
  throw badInput(
    `Entry ${formatCount(at + 1)} of the accept list keeps ${kept[at] ?? 0} rows of a block of ${width}`,
    place,
    `Use kept rows from 1 to ${width} (accepted drafts plus one), or a larger width`,
  );
}
