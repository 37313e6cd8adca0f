// Two answers of servers as a timeline, and below them what of their prompts came from the prefix cache.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../../shared/format';
import type { Answer, AnswerPair, AnswersResult } from '../../../shared/results/answers';
import type { Facts } from '../grid';
import { notCompared } from '../measures';
import type { StateLane } from '../stateLane';
import type { Lane, TimelineSource } from '../timeline';

const laneOf = ({ label, tokens, ids }: Answer): Lane => ({ name: label, tokens: tokens.map((text, i) => ({ id: ids[i] ?? -1, text })) });

const told = (answer: Answer, position: number): string => {
  const logprob = answer.logprobs[position];
  return logprob === undefined || logprob === 'NaN' ? l10n.t('not told') : formatFloat(logprob);
};

/** At the first token, which the prompt gave; none where no server tells it. */
function cacheLane(answers: readonly Answer[]): StateLane[] {
  if (answers.every(({ cachedTokens }) => cachedTokens < 0)) return [];
  const count = (value: number): string => (value < 0 ? l10n.t('not told') : formatCount(value));
  const of = ({ cachedTokens, promptTokens }: Answer): string => l10n.t('{0} of {1} prompt tokens', count(cachedTokens), count(promptTokens));
  const first = <T>(told: T, else_: T) => (position: number): T => (position === 0 ? told : else_);
  return [
    {
      name: l10n.t('from the cache'),
      positions: 1,
      value: first(0, notCompared),
      text: first(answers.map(({ cachedTokens }) => (cachedTokens < 0 ? '?' : String(cachedTokens))).join('|'), ''),
      about: first(answers.map(of).join(' | '), l10n.t('told at the first token')),
      room: () => 1,
      facts: first(answers.map((answer) => [answer.label, of(answer)] as const), []),
    },
  ];
}

/** Null for answers whose tokens the servers do not tell. */
export function answersTimeline({ answers }: AnswersResult, { a, b, fork }: AnswerPair): TimelineSource | null {
  const [left, right] = [answers[a], answers[b]];
  if (left === undefined || right === undefined || left.tokens.length + right.tokens.length === 0) return null;
  const factsAt = (position: number): Facts => [
    [l10n.t('log probability'), `${told(left, position)} | ${told(right, position)}`],
    ...(fork?.at === position && fork.gap !== 'NaN' ? ([[l10n.t('apart'), `${formatFloat(fork.gap)}: ${fork.word}`]] as const) : []),
  ];
  const isTold = (logprob: Answer['logprobs'][number] | undefined): boolean => logprob !== undefined && logprob !== 'NaN';
  const drifts = (position: number): boolean => isTold(left.logprobs[position]) && isTold(right.logprobs[position]) && left.logprobs[position] !== right.logprobs[position];
  return { lanes: [laneOf(left), laneOf(right)], states: cacheLane([left, right]), rounds: [], drifts, facts: factsAt };
}
