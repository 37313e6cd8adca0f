// Two answers of servers as a timeline.
import { formatFloat } from '../../../shared/format';
import type { Answer, AnswerPair, AnswersResult } from '../../../shared/results/answers';
import type { Facts } from '../grid';
import type { Lane, TimelineSource } from '../timeline';

const laneOf = ({ label, tokens, ids }: Answer): Lane => ({ name: label, tokens: tokens.map((text, i) => ({ id: ids[i] ?? -1, text })) });

const told = (answer: Answer, position: number): string => {
  const logprob = answer.logprobs[position];
  return logprob === undefined || logprob === 'NaN' ? 'not told' : formatFloat(logprob);
};

/** Null for answers whose tokens the servers do not tell. */
export function answersTimeline({ answers }: AnswersResult, { a, b, fork }: AnswerPair): TimelineSource | null {
  const [left, right] = [answers[a], answers[b]];
  if (left === undefined || right === undefined || left.tokens.length + right.tokens.length === 0) return null;
  const factsAt = (position: number): Facts => [
    ['log probability', `${told(left, position)} | ${told(right, position)}`],
    ...(fork?.at === position && fork.gap !== 'NaN' ? ([['apart', `${formatFloat(fork.gap)}: ${fork.word}`]] as const) : []),
  ];
  const isTold = (logprob: Answer['logprobs'][number] | undefined): boolean => logprob !== undefined && logprob !== 'NaN';
  const drifts = (position: number): boolean => isTold(left.logprobs[position]) && isTold(right.logprobs[position]) && left.logprobs[position] !== right.logprobs[position];
  return { lanes: [laneOf(left), laneOf(right)], rounds: [], drifts, facts: factsAt };
}
