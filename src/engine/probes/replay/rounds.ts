// A replay's rounds with their token ids: what is fed, what is kept.
import type { Fill } from '../../../shared/experiment';
import type { Schedule } from '../../../shared/results/replay';
import { fillId } from './fill';

export interface ReplayRound {
  readonly index: number;
  /** Index of the first reference token of the block. */
  readonly at: number;
  readonly rows: number;
  readonly keep: number;
  /** The right ids of the block, as far as the reference goes: at least the kept ones. */
  readonly ids: readonly number[];
}

/** The rounds of batch row `row` of a schedule whose kept rows stand round by round, `batch` each. */
export function roundsOf(schedule: Schedule, reference: readonly number[], batch = 1, row = 0): ReplayRound[] {
  let at = 0;
  return schedule.rows.map((rows, index) => {
    const keep = schedule.kept[index * batch + row] ?? 1;
    const round = { index, at, rows, keep, ids: reference.slice(at, at + rows) };
    at += keep;
    return round;
  });
}

/** The ids of a block whose rejected rows hold a fill. `drafts`: those of the log, by round. Where the reference has ended there is no right id. */
export function filled({ index, rows, ids, keep }: ReplayRound, fill: Fill, drafts: readonly (readonly number[])[] | null, vocab: number): number[] {
  return Array.from({ length: rows }, (_, row) => {
    const right = ids[row];
    if (row < keep && right !== undefined) return right;
    return fillId(fill, { round: index, row, right, logged: drafts?.[index]?.[row - 1] }, vocab);
  });
}
