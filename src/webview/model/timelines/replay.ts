// A replayed arm as a timeline: the transcript, what the classic chain chooses over it, and what the arm chooses.
import { formatCount, formatFloat, plural } from '../../../shared/format';
import type { ReplayResult, ReplayRun } from '../../../shared/results/replay';
import { armName } from '../../../shared/account/replay';
import type { Facts, Round } from '../grid';
import type { TimelineSource } from '../timeline';
import { tokensOf } from './texts';

/** A row chooses the token after the one it reads, and the prefill the first. */
function roundsOf({ schedule: { rows, kept } }: ReplayResult, compared: number): Round[] {
  let from = 1;
  const rounds: Round[] = [];
  for (const [i, keep] of kept.entries()) {
    if (from >= compared) break;
    const block = rows[i] ?? keep;
    rounds.push({ from, kept: Math.min(keep, compared - from), rejected: block - keep, label: `${i}: ${formatCount(keep)} of ${plural(block, 'row')} kept` });
    from += keep;
  }
  return rounds;
}

export function replayTimeline(replay: ReplayResult, run: ReplayRun): TimelineSource {
  const { rows } = run;
  const compared = rows.argmaxA.length;
  const factsAt = (position: number): Facts =>
    position >= compared
      ? []
      : [
          ['transcript', `id ${replay.reference.ids[position] ?? 'none'}`],
          ['logit bytes', `${formatCount(rows.differingBytes[position] ?? 0)} of ${formatCount(rows.bytes)} differ`],
          ['margin', formatFloat(rows.marginA[position] ?? 0)],
          ['apart', `${formatFloat(rows.gapA[position] ?? 0)} against a noise floor of ${formatFloat(replay.noise.floor)}`],
        ];
  return {
    lanes: [
      { name: 'classic chain', tokens: tokensOf(rows.argmaxA, replay.texts) },
      { name: armName(run), tokens: tokensOf(rows.argmaxB, replay.texts) },
    ],
    rounds: run.form === 'chain' ? [] : roundsOf(replay, compared),
    drifts: (position) => (rows.differingBytes[position] ?? 0) > 0,
    facts: factsAt,
  };
}
