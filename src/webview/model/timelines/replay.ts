// A replayed arm as a timeline: what the classic chain chooses over the transcript, what the arm chooses, the transcript where the model leaves it, and the arm's state.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../../shared/format';
import type { ReplayResult, ReplayRun } from '../../../shared/results/replay';
import { armName } from '../../../shared/account/replay';
import type { Facts, Round } from '../grid';
import { keptInWords, stateLane, type StateStep } from '../stateLane';
import type { Lane, TimelineSource, Token } from '../timeline';
import { tokensOf } from './texts';

/** A row chooses the token after the one it reads, and the prefill the first. Blocks of the kept rows alone have nothing to rewind. */
function roundsOf({ schedule: { rows, kept } }: ReplayResult, { form }: ReplayRun, compared: number): Round[] {
  let from = 1;
  const rounds: Round[] = [];
  for (const [i, keep] of kept.entries()) {
    if (from >= compared) break;
    const block = form === 'kept' ? keep : (rows[i] ?? keep);
    rounds.push({ from, kept: Math.min(keep, compared - from), rejected: block - keep, label: keptInWords(i, keep, block) });
    from += keep;
  }
  return rounds;
}

/** Rewinds that dropped another number of rows than asked are told one by one, so that all others dropped what was asked. A round that was not compared to its end is left out. */
function stepsOf({ prompt, schedule }: ReplayResult, { form, misdropped }: ReplayRun, rounds: readonly Round[], compared: number): StateStep[] {
  const told = { asked: null, dropped: null, differs: 0, facts: [] };
  const first: StateStep = { from: 0, kept: 1, when: l10n.t('after the prefill'), live: prompt.ids.length, ...told };
  if (form === 'chain') return [first, ...Array.from({ length: Math.max(0, compared - 1) }, (_, i): StateStep => ({ from: i + 1, kept: 1, when: l10n.t('after the step'), live: prompt.ids.length + i + 1, ...told }))];
  const other = new Map(misdropped.map((one) => [one.round, one]));
  const whole = rounds.filter(({ kept }, i) => kept === schedule.kept[i]);
  // What was not dropped is still there.
  let left = 0;
  return [
    first,
    ...whole.map(({ from, kept, rejected }, i): StateStep => {
      const { asked, dropped } = other.get(i) ?? { asked: rejected, dropped: rejected };
      left += asked - dropped;
      return { from, kept, when: l10n.t('after round {0}', i), live: prompt.ids.length + from + kept - 1 + left, asked, dropped, differs: 0, facts: [] };
    }),
  ];
}

/** A transcript of the model's own choices is their lane already. Its last row chooses a token more than it has. */
function transcriptOf({ reference: { source, ids, leavesAt }, texts }: ReplayResult, compared: number): Lane[] {
  if (source === 'greedy' || leavesAt < 0) return [];
  const untold = Array<Token>(Math.max(0, compared - ids.length)).fill({ id: -1, text: '' });
  return [{ name: source === 'log' ? l10n.t('the log') : l10n.t('the given ids'), tokens: [...tokensOf(ids.slice(0, compared), texts), ...untold] }];
}

export function replayTimeline(replay: ReplayResult, run: ReplayRun): TimelineSource {
  const { rows } = run;
  const compared = rows.argmaxA.length;
  const rounds = run.form === 'chain' ? [] : roundsOf(replay, run, compared);
  const factsAt = (position: number): Facts =>
    position >= compared
      ? []
      : [
          [l10n.t('transcript'), l10n.t('id {0}', replay.reference.ids[position] ?? l10n.t('none'))],
          [l10n.t('logit bytes'), l10n.t('{0} of {1} differ', formatCount(rows.differingBytes[position] ?? 0), formatCount(rows.bytes))],
          [l10n.t('margin'), formatFloat(rows.marginA[position] ?? 0)],
          [l10n.t('apart'), l10n.t('{0} against a noise floor of {1}', formatFloat(rows.gapA[position] ?? 0), formatFloat(replay.noise.floor))],
        ];
  return {
    lanes: [
      { name: l10n.t('classic chain'), tokens: tokensOf(rows.argmaxA, replay.texts) },
      { name: armName(run), tokens: tokensOf(rows.argmaxB, replay.texts) },
      ...transcriptOf(replay, compared),
    ],
    states: [stateLane(l10n.t('state'), stepsOf(replay, run, rounds, compared))],
    rounds,
    drifts: (position, lane) => lane < 2 && (rows.differingBytes[position] ?? 0) > 0,
    facts: factsAt,
  };
}
