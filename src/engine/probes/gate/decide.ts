// From checks to a decision in words. Fail closed: what did not run is a decline, never a pass.
import { formatCount } from '../../../shared/format';
import type { GateAttempt, GateCheck, GateWidth } from '../../../shared/results/gate';

/** The setting of the extension and the option of the command line that engage a width all the same. */
export const overrideNames = { setting: 'moire.speculation.allowInexact', option: '--override' } as const;

const failed = ({ differingRows, stateBytes }: GateCheck): boolean => differingRows + stateBytes > 0;

export function exactnessOf(checks: readonly GateCheck[]): Pick<GateAttempt, 'exactness' | 'reason'> {
  if (checks.every(({ rows }) => rows === 0)) return { exactness: 'not run', reason: 'exactness probe did not run: no position was compared' };
  const wrong = checks.find(failed);
  if (wrong === undefined) return { exactness: 'exact', reason: 'every verify block is byte-identical to the single-token chain' };
  const { first, name, stateBytes } = wrong;
  if (first === null) return { exactness: 'inexact', reason: `${name}: every logit row is equal, but ${formatCount(stateBytes)} bytes of the state differ from the single-token chain's` };
  const round = wrong.rows > 1 && first.round > 0 ? ` of round ${formatCount(first.round)}` : '';
  const row = first.batchRow > 0 ? ` of batch row ${first.batchRow}` : '';
  return { exactness: 'inexact', reason: `${name}: verify block position ${first.row}${round}${row} differs from the single-token chain in ${formatCount(first.differingBytes)} of ${formatCount(first.totalBytes)} logit bytes` };
}

export const notRun = (switches: GateAttempt['switches'], why: string): GateAttempt => ({ switches, exactness: 'not run', reason: `exactness probe did not run: ${why.replace(/\.$/, '')}`, checks: [] });

/** `retry`: what the exact kernels gave. */
export function decisionOf(attempt: GateAttempt, retry: GateAttempt | null, override: boolean): Pick<GateWidth, 'decision' | 'reason'> {
  if (attempt.exactness === 'exact') return { decision: 'engage', reason: attempt.reason };
  const also = retry === null ? '' : retry.exactness === 'exact' ? '. The exact kernels (switches matmul=exact and attention=exact) pass at this width: run with them to engage it' : `. With the exact kernels: ${retry.reason}`;
  if (override) return { decision: 'override', reason: `OVERRIDDEN although ${attempt.reason}: greedy output of this width is not promised to equal classic decode${also}` };
  return { decision: 'decline', reason: `${attempt.reason}; falling back to classic decode${also}. The setting ${overrideNames.setting} (on the command line ${overrideNames.option}) engages it anyway` };
}
