// A parity run as a timeline: classic decode above, the burst below, and the state of the burst.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../../shared/format';
import type { ParityResult, ParityRun } from '../../../shared/results/parity';
import { sum } from '../../../shared/sum';
import type { Facts, Round } from '../grid';
import { stateLane, type StateStep } from '../stateLane';
import { roundAt, type TimelineSource } from '../timeline';
import { tokensOf } from './texts';

/** Where each round begins: the first token comes of the prefill, a round gives its accepted drafts and the bonus. */
function startsOf({ acceptedPerRound }: ParityRun): number[] {
  let from = 1;
  return acceptedPerRound.map((accepted) => (from += accepted + 1) - accepted - 1);
}

/** Rows of each block. The run tells what was drafted in all: either all blocks were whole, or they shrank at the budget; null where it fits neither. */
function blocksOf(run: ParityRun): readonly number[] | null {
  const { width, proposed, ids = [] } = run;
  const starts = startsOf(run);
  const fits = (blocks: readonly number[]): boolean => sum(blocks.map((rows) => rows - 1)) === proposed;
  return [starts.map(() => width), starts.map((from) => Math.min(width, Math.max(1, ids.length - from + 1)))].find(fits) ?? null;
}

function roundsOf(run: ParityRun): Round[] {
  const { acceptedPerRound, width, ids = [] } = run;
  const [starts, blocks] = [startsOf(run), blocksOf(run)];
  return acceptedPerRound.map((accepted, i): Round => {
    const from = starts[i] ?? 0;
    const drafted = (blocks?.[i] ?? width) - 1;
    return { from, kept: Math.min(accepted + 1, Math.max(0, ids.length - from)), rejected: drafted - accepted, label: accepted === 1 ? l10n.t('{0}: {1} draft accepted of {2}', i, accepted, drafted) : l10n.t('{0}: {1} drafts accepted of {2}', i, formatCount(accepted), drafted) };
  });
}

/** A round leaves the accepted drafts and the row that it began with. What its rewind dropped is not told. */
function stepsOf(run: ParityRun, rounds: readonly Round[], prompt: number): StateStep[] {
  const known = blocksOf(run) !== null;
  const told = { dropped: null, differs: 0, facts: [] };
  let live = prompt;
  return [
    { from: 0, kept: 1, when: l10n.t('after the prefill'), live, asked: null, ...told },
    ...rounds.map(({ from, kept, rejected }, i): StateStep => ({ from, kept, when: l10n.t('after round {0}', i), live: (live += (run.acceptedPerRound[i] ?? 0) + 1), asked: known ? rejected : null, ...told })),
  ];
}

type Origin = 'prefill' | 'bonus' | 'draft' | 'none';

function originOf(position: number, rounds: readonly Round[]): Origin {
  if (position === 0) return 'prefill';
  const round = roundAt(rounds, position);
  return round === undefined ? 'none' : position === round.from + round.kept - 1 ? 'bonus' : 'draft';
}

const originWords: Readonly<Record<Origin, string>> = { prefill: l10n.t('first bonus, of the prefill'), bonus: l10n.t('bonus'), draft: l10n.t('accepted draft'), none: l10n.t('none') };

/** Null for a run without a burst of its own. */
export function parityTimeline({ classic, texts, prompts }: ParityResult, run: ParityRun): TimelineSource | null {
  if (run.ids === undefined) return null;
  const rounds = roundsOf(run);
  const { fork } = run;
  const prompt = prompts[run.prompt];
  const factsAt = (position: number): Facts => {
    const origin: Facts = [[l10n.t('in the burst'), originWords[originOf(position, rounds)]]];
    if (fork?.token !== position) return origin;
    return [...origin, [l10n.t('margin'), l10n.t('{0} (classic)', formatFloat(fork.margin))], [l10n.t('apart'), l10n.t('{0} against a noise floor of {1}: {2}', formatFloat(fork.gap), formatFloat(fork.floor), fork.word)]];
  };
  return {
    lanes: [
      { name: l10n.t('classic'), tokens: tokensOf(classic[run.prompt]?.ids ?? [], texts) },
      { name: l10n.t('burst, width {0}', run.width), tokens: tokensOf(run.ids, texts) },
    ],
    ...(prompt === undefined ? {} : { states: [stateLane(l10n.t('state'), stepsOf(run, rounds, prompt.ids.length))] }),
    rounds,
    drifts: () => false,
    facts: factsAt,
    sign: (lane, position) => (lane === 1 && ['prefill', 'bonus'].includes(originOf(position, rounds)) ? 'bonus' : null),
  };
}
