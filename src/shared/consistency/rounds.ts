// Probes that go by rounds: what a round keeps stands in its block, and all rounds together in what they walked over.
import { limits } from '../experiments/parts';
import { greatest } from '../extremes';
import type { ParityResult, ParityRun } from '../results/parity';
import type { ReplayResult, ReplayRun, Schedule } from '../results/replay';
import type { Audits, RewindResult } from '../results/rewind';
import { sum } from '../sum';
import { beyond, faultIn, faultOfChoices, faultOfNoise, faultOfState, firstOf, lengths, negative, outside, placed } from './parts';

const faultOfWidth = (width: number, at: string): string => placed(`${at}.width`, outside(width, 1, limits.width));

/** `most`: rows that may be kept of one batch row. */
function faultOfSchedule({ rows, kept }: Schedule, { width, batch, most }: { readonly width: number; readonly batch: number; readonly most: number }, at: string): string {
  const blockOf = (i: number): number => rows[Math.floor(i / batch)] ?? 0;
  return (
    lengths(at, { kept }, rows.length * batch) ||
    faultIn(`${at}.rows`, rows, (count) => outside(count, 1, width)) ||
    faultIn(`${at}.kept`, kept, (keep, i) => outside(keep, 1, blockOf(i))) ||
    placed(`${at}.kept`, beyond(longest(kept, batch), most, 'rows of the transcript'))
  );
}

/** Rows kept of the batch row that keeps the most. */
function longest(kept: readonly number[], batch: number): number {
  const sums = new Float64Array(batch);
  for (const [i, keep] of kept.entries()) sums[i % batch] = (sums[i % batch] ?? 0) + keep;
  return greatest(sums);
}

export function faultOfReplay({ width, schedule, reference, runs, noise }: ReplayResult): string {
  const { length } = reference.ids;
  return (
    faultOfWidth(width, 'replay') ||
    faultOfSchedule(schedule, { width, batch: 1, most: length }, 'replay.schedule') ||
    placed('replay.reference.leavesAt', outside(reference.leavesAt, -1, length - 1)) ||
    firstOf(runs, (run, i) => faultOfReplayRun(run, schedule, length, `replay.runs.${i}`)) ||
    faultOfNoise(noise, 'replay.noise')
  );
}

/** The prefill gives a row before the first of the transcript. */
function faultOfReplayRun({ rows, first, firstChoice, misdropped, state }: ReplayRun, { rows: blocks }: Schedule, length: number, at: string): string {
  const compared = rows.differingBytes.length;
  const missing = (place: ReplayRun['first'], name: string): string => (place === null || place.position < compared ? '' : `${at}.${name}: names a row that was not compared`);
  return (
    faultOfChoices(rows, `${at}.rows`, length + 1) ||
    missing(first, 'first') ||
    missing(firstChoice, 'firstChoice') ||
    faultIn(`${at}.misdropped`, misdropped, ({ round }) => (round < blocks.length ? '' : 'names a round that does not exist')) ||
    faultOfState(state, `${at}.state`)
  );
}

/** The transcript itself is not in the report: a walk is no longer than a list of ids may be. */
export function faultOfRewind({ width, batch, schedule, audits, tensors }: RewindResult): string {
  return (
    faultOfWidth(width, 'rewind') ||
    placed('rewind.batch', outside(batch, 1, limits.batch)) ||
    faultOfSchedule(schedule, { width, batch, most: limits.promptIds }, 'rewind.schedule') ||
    faultOfAudits(audits, schedule, batch, 'rewind.audits') ||
    firstOf(tensors, ({ bytes, differingBytes, relL2 }, i) => placed(`rewind.tensors.${i}.differingBytes`, beyond(differingBytes, bytes, 'bytes')) || placed(`rewind.tensors.${i}.relL2`, negative(relL2)))
  );
}

function faultOfAudits(audits: Audits, { rows, kept }: Schedule, batch: number, at: string): string {
  const { round, row, asked } = audits;
  const rejected = (i: number): number => (rows[round[i] ?? 0] ?? 0) - (kept[(round[i] ?? 0) * batch + (row[i] ?? 0)] ?? 0);
  return (
    lengths(at, audits, round.length) ||
    faultIn(`${at}.round`, round, (one) => (one < rows.length ? '' : `is ${one}, of ${rows.length} rounds`)) ||
    faultIn(`${at}.row`, row, (one) => (one < batch ? '' : `is ${one}, of ${batch} batch rows`)) ||
    faultIn(`${at}.asked`, asked, (one, i) => (one === rejected(i) ? '' : `is ${one}, and the round rejects ${rejected(i)} rows`))
  );
}

export function faultOfParity({ prompts, classic, batch, runs, noise }: ParityResult): string {
  return (
    placed('parity.batch', outside(batch, 1, limits.batch)) ||
    lengths('parity', { classic }, prompts.length) ||
    firstOf(runs, (run, i) => faultOfParityRun(run, { prompts: prompts.length, classic: classic[run.prompt]?.ids.length ?? 0 }, `parity.runs.${i}`)) ||
    faultOfNoise(noise, 'parity.noise')
  );
}

function faultOfParityRun({ prompt, width, rounds, accepted, acceptedPerRound, emitted, ids, fork, audits }: ParityRun, of: { readonly prompts: number; readonly classic: number }, at: string): string {
  return (
    (prompt < of.prompts ? '' : `${at}.prompt: names a prompt that does not exist`) ||
    faultOfWidth(width, at) ||
    lengths(at, { acceptedPerRound }, rounds) ||
    (ids === undefined ? '' : lengths(at, { ids }, emitted)) ||
    faultIn(`${at}.acceptedPerRound`, acceptedPerRound, (count) => outside(count, 0, width - 1)) ||
    faultOfEmitted(acceptedPerRound, emitted, `${at}.acceptedPerRound`) ||
    (sum(acceptedPerRound) === accepted ? '' : `${at}.accepted: is ${accepted}, and its rounds accepted ${sum(acceptedPerRound)}`) ||
    placed(`${at}.audits`, beyond(audits, rounds, 'rounds')) ||
    (fork === null || fork.token < Math.max(emitted, of.classic) ? '' : `${at}.fork.token: is ${fork.token}, where neither arm has a token`)
  );
}

/** The prefill gives one token and a round what it accepted and the bonus; the last may be cut at the budget or the end of text, down to one. */
function faultOfEmitted(accepted: readonly number[], emitted: number, at: string): string {
  if (accepted.length === 0) return '';
  const most = 1 + sum(accepted) + accepted.length;
  const cut = accepted.at(-1) ?? 0;
  return emitted <= most && emitted >= most - cut ? '' : `${at}: gives ${most - cut} to ${most} tokens, and ${emitted} were emitted`;
}
