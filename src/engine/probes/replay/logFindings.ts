// What does not fit between a log, the prompt that was given, and the replay of it.
import { formatCount, plural } from '../../../shared/format';
import type { LogFacts, Schedule } from '../../../shared/results/replay';
import type { Accepted } from './accepts';
import { countsOf } from './schedule';

/** Counts that the log and the replay of it do not share; none where everything fits. */
export function logFindings(log: LogFacts, schedule: Schedule): string[] {
  const counts = countsOf(schedule);
  const compared = [
    ['rounds', log.rounds, counts.rounds],
    ['rewinds', log.rewinds, counts.rewinds],
    ['kept rows', log.keptSum, counts.keptSum],
  ] as const;
  return compared.filter(([, logged, replayed]) => logged !== replayed).map(([what, logged, replayed]) => `The log has ${formatCount(logged)} ${what}, the replay ${formatCount(replayed)}.`);
}

/** A prompt of another length than the log's request had. */
export function promptNotes({ promptTokens: logged }: Accepted, given: number): string[] {
  if (logged === null || logged === given) return [];
  const oneOff = Math.abs(logged - given) === 1 ? ' They are one apart: a prompt file whose last newline was lost is one token short, and every token after it stands at another position.' : '';
  return [`The request of the log had ${plural(logged, 'prompt token')}, the prompt here has ${formatCount(given)}.${oneOff}`];
}

/** "" unless the reference fits the model's own choices far better when it is moved by one: the ids of prompt and reference were cut at the wrong place. */
export function shiftOf(chosen: readonly number[], reference: readonly number[]): string {
  const agreement = (shift: number): number => {
    const pairs = chosen.slice(0, reference.length).flatMap((id, i) => (reference[i + shift] === undefined ? [] : [id === reference[i + shift]]));
    return pairs.length < 8 ? 0 : pairs.filter(Boolean).length / pairs.length;
  };
  const here = agreement(0);
  const moved = ([1, -1] as const).find((shift) => agreement(shift) > 0.75 && here < 0.5 * agreement(shift));
  if (moved === undefined) return '';
  return moved === 1
    ? ' The reference fits this model when it is moved one token earlier: it begins with the last token of the prompt.'
    : ' The reference fits this model when it is moved one token later: its first token is missing, or the prompt ends with it.';
}
