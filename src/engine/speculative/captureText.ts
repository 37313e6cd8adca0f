// The rounds of a run's bursts as a log: Moire's own JSON lines, or the text lines of mlxcel.
import type { CapturedRound } from '../../shared/capture';
import { sum } from '../../shared/sum';
import { CaptureLogWriter, type CaptureLogHeader } from '../acceptLogs/moireLog';
import { seedLines } from '../acceptLogs/seedLines';
import type { Burst, BurstRound, RoundRow } from './burst';

export type CaptureHeader = Omit<CaptureLogHeader, 'format' | 'version'>;

/** One batch row of a burst that runs, under the name that it has in the log. */
export interface RunningBurst {
  readonly request: string;
  readonly row: number;
  readonly prompt: readonly number[];
}

/** The same when the burst has ended. */
export interface CapturedBurst {
  readonly request: string;
  readonly burst: Burst;
  readonly row: number;
}

interface LiveRound extends RoundRow {
  readonly round: BurstRound;
}

const liveRounds = ({ burst, row }: CapturedBurst): LiveRound[] => burst.rounds.flatMap((round) => (round.rows[row]?.live === true ? [{ ...round.rows[row], round }] : []));

export function writePrompt(writer: CaptureLogWriter, request: string, prompt: readonly number[], firstBonus: number): void {
  writer.request({ request, promptIds: [...prompt], firstBonus });
}

export function writeRound(writer: CaptureLogWriter, request: string, round: BurstRound, { bonus, drafts, targets, accepted, emitted }: RoundRow): void {
  writer.round({ request, round: round.index, width: round.width, bonus, drafts: [...drafts], targets: [...targets], accepted, emitted: [...emitted], ms: { ...round.ms } });
}

export function writeEnd(writer: CaptureLogWriter, one: CapturedBurst): void {
  const rounds = liveRounds(one);
  const counts = { emitted: sum(rounds.map(({ emitted }) => emitted.length)), rounds: rounds.length, proposed: sum(rounds.map(({ round }) => round.width - 1)), accepted: sum(rounds.map(({ accepted }) => accepted)) };
  writer.end({ request: one.request, end: { reason: one.burst.rows[one.row]?.end ?? 'context', ...counts } });
}

/** JSON lines, one a round. */
export function captureText(header: CaptureHeader, bursts: readonly CapturedBurst[]): string {
  const parts: string[] = [];
  const writer = new CaptureLogWriter((text) => parts.push(text), header);
  for (const one of bursts) {
    const own = one.burst.rows[one.row];
    if (own === undefined) continue;
    writePrompt(writer, one.request, own.prompt, own.ids[0] ?? 0);
    for (const row of liveRounds(one)) writeRound(writer, one.request, row.round, row);
    writeEnd(writer, one);
  }
  return parts.join('');
}

/** Text lines, request after request. */
export function seedText(bursts: readonly CapturedBurst[], width: (burst: CapturedBurst) => number, at: Date): string {
  return bursts.flatMap((one) => seedLines({ ...seedOf(one), width: width(one) }, at).map((line) => `${line}\n`)).join('');
}

function seedOf(one: CapturedBurst): Omit<Parameters<typeof seedLines>[0], 'width'> {
  const own = one.burst.rows[one.row];
  const live = liveRounds(one);
  const rounds = live.map(({ round, bonus, drafts, targets, accepted, emitted }): CapturedRound => ({ index: round.index, width: round.width, bonus, drafts, targets, accepted, emitted, line: null }));
  const total = (phase: keyof BurstRound['ms']): number => sum(live.map(({ round }) => round.ms[phase]));
  return { request: one.request, rounds, promptTokens: own?.prompt.length ?? null, generatedTokens: own?.ids.length ?? null, ms: { draft: total('draft'), verify: total('verify'), accept: total('accept'), rewind: total('rewind') } };
}
