// A rewind audit as a timeline of states: a lane a batch row, what each round left and how it compares with arms that never rewind.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../../shared/format';
import type { RewindResult } from '../../../shared/results/rewind';
import { amount } from '../amount';
import type { Facts, Round } from '../grid';
import { otherChoice, sameChoice } from '../measures';
import { keptInWords, stateLane, type StateStep } from '../stateLane';
import type { TimelineSource } from '../timeline';

/** Index into the audits by round and batch row. */
function auditsOf({ audits, batch }: RewindResult): ReadonlyMap<number, number> {
  return new Map(audits.round.map((round, i) => [round * batch + (audits.row[i] ?? 0), i]));
}

const compared = (name: string, bytes: number): Facts => (bytes < 0 ? [] : [[name, bytes === 0 ? l10n.t('equal') : amount(bytes, l10n.t('{0} byte differs'), l10n.t('{0} bytes differ'))]]);

/** Of an audit: how the state compares. Another number of rows than asked is seen by the lane itself. */
function comparison({ audits }: RewindResult, i: number): Pick<StateStep, 'differs' | 'facts'> {
  const [trace, kept, chain] = [audits.traceBytes, audits.keptBytes, audits.chainBytes].map((column) => column[i] ?? -1) as [number, number, number];
  return {
    differs: trace > 0 ? otherChoice : kept > 0 || chain > 0 ? sameChoice : 0,
    facts: [...compared(l10n.t('against other rejected ids'), trace), ...compared(l10n.t('against kept rows alone'), kept), ...compared(l10n.t('against single steps'), chain)],
  };
}

/** Rounds that ran: of an audit that ended early, those up to its last rewind. */
function ranOf({ schedule, audits }: RewindResult, complete: boolean): number {
  return complete ? schedule.rows.length : audits.round.reduce((most, round) => Math.max(most, round + 1), 0);
}

function stepsOf(rewind: RewindResult, row: number, ran: number, byPlace: ReadonlyMap<number, number>): StateStep[] {
  const { schedule, batch, prompt, audits } = rewind;
  let from = 1;
  // What was not dropped is still there.
  let left = 0;
  const step = (block: number, round: number): StateStep => {
    const kept = schedule.kept[round * batch + row] ?? 0;
    const i = byPlace.get(round * batch + row);
    const [asked, dropped] = i === undefined ? [block === kept ? 0 : null, block === kept ? 0 : null] : [audits.asked[i] ?? 0, audits.dropped[i] ?? 0];
    left += (asked ?? 0) - (dropped ?? 0);
    const start = from;
    from += kept;
    return { from: start, kept, when: l10n.t('after round {0}', formatCount(round)), live: prompt.ids.length + from - 1 + left, asked, dropped, ...(i === undefined ? { differs: 0, facts: [] } : comparison(rewind, i)) };
  };
  return [{ from: 0, kept: 1, when: l10n.t('after the prefill'), live: prompt.ids.length, asked: null, dropped: null, differs: 0, facts: [] }, ...schedule.rows.slice(0, ran).map(step)];
}

function roundsOf(steps: readonly StateStep[]): Round[] {
  return steps.slice(1).map(({ from, kept, asked }, i) => ({ from, kept, rejected: asked ?? 0, label: keptInWords(i, kept, kept + (asked ?? 0)) }));
}

/** Rounds of all batch rows. */
const mostSteps = 1_000_000;

/** Whether an audit has a picture: of more batch rows and rounds none would fit into the page. */
export const isTellable = (rewind: RewindResult, complete: boolean): boolean => rewind.batch * (ranOf(rewind, complete) + 1) <= mostSteps;

/** `complete`: the audit ran to its end. Brackets stand below one batch row alone: of several, each has rounds of its own. */
export function rewindTimeline(rewind: RewindResult, complete: boolean): TimelineSource {
  const [ran, byPlace] = [ranOf(rewind, complete), auditsOf(rewind)];
  const steps = Array.from({ length: rewind.batch }, (_, row) => stepsOf(rewind, row, ran, byPlace));
  const [first = []] = steps;
  return {
    lanes: [],
    states: steps.map((own, row) => stateLane(rewind.batch === 1 ? l10n.t('state') : l10n.t('batch row {0}', row), own)),
    rounds: rewind.batch === 1 ? roundsOf(first) : [],
    drifts: () => false,
    facts: () => [],
  };
}
