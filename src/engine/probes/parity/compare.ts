// Classic ids against a burst's ids: where they part, and whether that means anything.
import type { Fork, ParityRun } from '../../../shared/results/parity';
import type { Float } from '../../../shared/results/parts';
import type { Burst, BurstRow } from '../../speculative/burst';
import type { ClassicRow } from '../../speculative/classic';
import type { Candidate } from '../../types';
import { margin } from '../logits';
import { difference, round, within } from '../numbers';
import type { RowAudit } from './burstArm';

/** Round and row that emitted id `token` of batch row `row`; the first bonus comes before any round. */
function placeOf(token: number, { rounds }: Burst, row: number): { round: number; row: number } {
  let left = token - 1;
  if (left < 0) return { round: -1, row: 0 };
  for (const one of rounds) {
    const emitted = one.rows[row]?.emitted.length ?? 0;
    if (left < emitted) return { round: one.index, row: left };
    left -= emitted;
  }
  return { round: rounds.length, row: 0 };
}

/** The best logit minus that of `id`; where `id` is not among the candidates it is at least as far down as the last of them. */
function gapOf(id: number, top: readonly Candidate[]): Float {
  const [best] = top;
  const found = top.find((candidate) => candidate.id === id) ?? top.at(-1);
  return best === undefined || found === undefined ? 'NaN' : round(difference(best.logit, found.logit));
}

/** First index at which two lists of ids differ, one that ends earlier included; -1: nowhere. */
export function firstFork(a: readonly number[], b: readonly number[]): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i += 1) if (a[i] !== b[i]) return i;
  return -1;
}

function forkOf(classic: ClassicRow, { ids }: BurstRow, burst: Burst, row: number, floor: Float): Fork | null {
  const token = firstFork(classic.ids, ids);
  if (token < 0) return null;
  const top = classic.top[token] ?? [];
  const burstId = ids[token];
  const gap = burstId === undefined ? 'NaN' : gapOf(burstId, top);
  const known = top.some(({ id }) => id === burstId);
  return { token, ...placeOf(token, burst, row), classicId: classic.ids[token] ?? 0, burstId: burstId ?? 0, margin: margin(top), gap, floor, word: known && within(gap, floor) ? 'tie' : 'defect' };
}

export interface RowOfBurst {
  /** Index of its prompt in the report. */
  readonly prompt: number;
  readonly width: number;
  readonly burst: Burst;
  /** Batch row. */
  readonly row: number;
  readonly audit: RowAudit;
}

/** A burst without a round proves nothing. */
export function compareRow({ prompt, width, burst, row, audit }: RowOfBurst, classic: ClassicRow, floor: Float): ParityRun {
  const own = burst.rows[row];
  if (own === undefined) throw new Error(`the burst has no row ${row}`);
  const live = burst.rounds.flatMap((one) => (one.rows[row]?.live === true ? [{ ...one.rows[row], width: one.width }] : []));
  const fork = forkOf(classic, own, burst, row, floor);
  const acceptedPerRound = live.map(({ accepted }) => accepted);
  const accepted = acceptedPerRound.reduce((sum, count) => sum + count, 0);
  return {
    prompt,
    width,
    outcome: fork !== null ? 'differs' : live.length === 0 ? 'not run' : 'equal',
    rounds: live.length,
    proposed: live.reduce((sum, one) => sum + one.width - 1, 0),
    accepted,
    rewinds: live.filter((one) => one.accepted < one.width - 1).length,
    emitted: own.ids.length,
    acceptedPerRound,
    end: own.end ?? 'context',
    ids: [...own.ids],
    fork,
    audits: audit.audits,
    auditBytes: audit.bytes,
    auditFirst: audit.first,
  };
}
