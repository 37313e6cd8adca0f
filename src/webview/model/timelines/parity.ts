// A parity run as a timeline: classic decode above, the burst below.
import { formatFloat, plural } from '../../../shared/format';
import type { ParityResult, ParityRun } from '../../../shared/results/parity';
import type { Facts, Round } from '../grid';
import { roundAt, type TimelineSource } from '../timeline';
import { tokensOf } from './texts';

/** The first token comes of the prefill; a round gives its accepted drafts and the bonus. */
function roundsOf({ acceptedPerRound, width, ids = [] }: ParityRun): Round[] {
  let from = 1;
  return acceptedPerRound.map((accepted, i): Round => {
    const kept = Math.min(accepted + 1, Math.max(0, ids.length - from));
    const rejected = width - 1 - accepted;
    const round = { from, kept, rejected, label: `${i}: ${plural(accepted, 'draft')} accepted of ${width - 1}` };
    from += kept;
    return round;
  });
}

function originOf(position: number, rounds: readonly Round[]): string {
  if (position === 0) return 'first bonus, of the prefill';
  const round = roundAt(rounds, position);
  return round === undefined ? 'none' : position === round.from + round.kept - 1 ? 'bonus' : 'accepted draft';
}

/** Null for a run without a burst of its own. */
export function parityTimeline({ classic, texts }: ParityResult, run: ParityRun): TimelineSource | null {
  if (run.ids === undefined) return null;
  const rounds = roundsOf(run);
  const { fork } = run;
  const factsAt = (position: number): Facts => {
    const origin: Facts = [['in the burst', originOf(position, rounds)]];
    if (fork?.token !== position) return origin;
    return [...origin, ['margin', `${formatFloat(fork.margin)} (classic)`], ['apart', `${formatFloat(fork.gap)} against a noise floor of ${formatFloat(fork.floor)}: ${fork.word}`]];
  };
  return {
    lanes: [
      { name: 'classic', tokens: tokensOf(classic[run.prompt]?.ids ?? [], texts) },
      { name: `burst, width ${run.width}`, tokens: tokensOf(run.ids, texts) },
    ],
    rounds,
    drifts: () => false,
    facts: factsAt,
  };
}
