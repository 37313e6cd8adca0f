// Verdict of one arm of a replay, and what all arms together point to.
import { formatCount, formatFloat, formatList, plural } from '../../../shared/format';
import type { Noise } from '../../../shared/results/parts';
import type { ReplayPlace, ReplayRun, Schedule } from '../../../shared/results/replay';
import type { Verdict } from '../../../shared/verdict';
import { firstDiffering, otherChoices } from '../choices';
import { differingStateBytes } from '../bisectState';
import { within } from '../numbers';

export type Undecided = Omit<ReplayRun, 'verdict' | 'first' | 'firstChoice'>;

/** Round and row of entry `entry` (0: the prefill's last row); null for -1. */
export function placeOf(entry: number, { kept }: Schedule): ReplayPlace | null {
  if (entry < 0) return null;
  let left = entry - 1;
  for (const [round, keep] of kept.entries()) {
    if (left < keep) return { position: entry, round, row: Math.max(0, left) };
    left -= keep;
  }
  return { position: entry, round: kept.length, row: 0 };
}

/** By the token that a row chooses: row 0 is the prefill's last one. */
const where = (entry: number, schedule: Schedule): string => {
  const place = placeOf(entry, schedule);
  if (place === null) return '';
  return entry === 0 ? 'token 0 (the last row of the prefill)' : `token ${formatCount(entry)} (round ${formatCount(place.round)}, row ${place.row})`;
};

/** Bytes first, greedy choice second. `exact`: the switches promise that no byte depends on the shape of a call. */
export function decideReplay(run: Undecided, schedule: Schedule, noise: Noise, exact: boolean): Verdict {
  const { rows, misdropped } = run;
  if (rows.differingBytes.length === 0) return { word: 'void', sentence: 'Nothing was compared.' };
  if (noise.repeatDifferingBytes > 0) {
    return { word: 'defect', sentence: `Not reproducible: single steps run twice differ in ${plural(noise.repeatDifferingBytes, 'byte')}, so nothing else here can be judged.` };
  }
  const [wrong] = misdropped;
  if (wrong !== undefined) return { word: 'defect', sentence: `In round ${wrong.round} a rewind was asked to drop ${plural(wrong.asked, 'row')} and dropped ${wrong.dropped}.` };
  const bytes = rows.differingBytes.reduce((sum, n) => sum + n, 0);
  const state = differingStateBytes(run.state);
  const total = rows.bytes * rows.differingBytes.length;
  if (bytes + state === 0) return { word: 'equal', sentence: `All ${plural(rows.differingBytes.length, 'row')} have the bytes of the classic chain: 0 of ${formatCount(total)} logit bytes differ${run.state.length === 0 ? '' : ', and no byte of the state at the end'}.` };
  const first = firstDiffering(rows);
  const amount = `${formatCount(bytes)} of ${formatCount(total)} logit bytes in ${plural(rows.differingBytes.filter((n) => n > 0).length, 'row')} and ${plural(state, 'state byte')} differ${first < 0 ? '' : `, first at ${where(first, schedule)}`}`;
  const choices = otherChoices(rows);
  const beyond = choices.find((entry) => !within(rows.gapA[entry] ?? 'NaN', noise.floor));
  const promise = exact ? ' The exact kernels promise equal bytes.' : '';
  if (choices.length === 0) return { word: exact ? 'defect' : 'drift', sentence: `${amount}; every greedy choice agrees.${promise}` };
  const entry = beyond ?? choices[0] ?? 0;
  const gap = formatFloat(rows.gapA[entry] ?? 0);
  const choice = `at ${where(entry, schedule)} classic decode chooses ${rows.argmaxA[entry] ?? 0} and the replay ${rows.argmaxB[entry] ?? 0}, ${gap} apart against a measured noise floor of ${formatFloat(noise.floor)}`;
  return { word: beyond === undefined && !exact ? 'tie' : 'defect', sentence: `${plural(choices.length, 'greedy choice differs', 'greedy choices differ')}: ${choice}. ${amount}.${promise}` };
}

type Judged = Pick<ReplayRun, 'form' | 'fill' | 'rows' | 'state' | 'first'>;

export const nothingDiffers = 'Nothing differs, so there is nothing to attribute.';

const differs = ({ rows, state }: Judged): boolean => firstDiffering(rows) >= 0 || differingStateBytes(state) > 0;

/** What the pattern of differing arms says about the place of the cause. */
export function attribute(runs: readonly Judged[]): string {
  const of = (form: Judged['form']): Judged[] => runs.filter((run) => run.form === form);
  const blocks = of('block');
  const differing = blocks.filter(differs);
  if (runs.length === 0 || !runs.some(differs)) return nothingDiffers;
  if (runs.some(({ rows }) => (rows.differingBytes[0] ?? 0) > 0)) return 'The prefills differ before the first round: look at the prefill comparison first.';
  if (differing.length > 0 && differing.length < blocks.length) {
    return `Blocks differ with ${formatList(differing.map(({ fill }) => `${fill} ids`))} in the rejected rows and are equal with ${formatList(blocks.filter((run) => !differs(run)).map(({ fill }) => `${fill} ids`))}: what is rejected leaves a trace, so look at the rewind.`;
  }
  const [kept] = of('kept');
  const [chain] = of('chain');
  if (chain !== undefined && differs(chain)) return 'Even single rows through the verify path differ from decode: the two forward paths differ at one row.';
  if (kept !== undefined && differs(kept)) return 'Blocks of the kept rows alone, which never rewind, differ too: the shape of the forward does it, not the rewind.';
  if (kept !== undefined && differing.length > 0) return 'Blocks of the kept rows alone are equal, whole blocks are not: the wider forward or the rewind does it; the rewind audit tells which.';
  return 'Whole blocks differ from single steps; run the kept form as well to tell the forward from the rewind.';
}
