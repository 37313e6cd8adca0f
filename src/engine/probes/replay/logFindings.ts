// What does not fit between a log, the prompt that was given, and the replay of it.
import { formatCount, plural } from '../../../shared/format';
import type { PromptFacts } from '../../../shared/results/parts';
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

/** What makes the replay one of another run than the log's: a prompt of another length, another model, sampled text. */
export function notesOf({ promptTokens, promptIds, facts, reference }: Accepted, given: PromptFacts, fingerprint: string): string[] {
  const model = String(facts['model'] ?? '');
  const temperature = /temperature=([\d.]+)/.exec(String(facts['sampling'] ?? ''))?.[1];
  return [
    ...(model.includes('blake3:') && !model.includes(fingerprint) ? [`The log was written with another model (${model}), so its text says nothing about this one.`] : []),
    ...(temperature === undefined || Number(temperature) === 0 ? [] : [`The log was sampled at temperature ${temperature}: its text leaves greedy text anyway.`]),
    ...(reference !== null && promptIds === null && promptTokens === null && given.source !== 'text' && given.source !== 'ids' ? ['The log does not hold its prompt and none was given, so the rounds stand after another prompt: give it with --ids or --prompt-file.'] : []),
    ...promptNotes(promptTokens, given.ids.length),
  ];
}

function promptNotes(logged: number | null, given: number): string[] {
  if (logged === null || logged === given) return [];
  const oneOff = Math.abs(logged - given) === 1 ? ' They are one apart: a prompt file whose last newline was lost is one token short, and every token after it stands at another position.' : '';
  return [`The request of the log had ${plural(logged, 'prompt token')}, the prompt here has ${formatCount(given)}, so this is not the served run.${oneOff} Give the served prompt with --ids or --prompt-file.`];
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
