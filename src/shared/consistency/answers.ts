// Answers of servers, and lists of ids.
import type { AnswersResult } from '../results/answers';
import type { IdsResult } from '../results/ids';
import { beyond, firstOf, lengths, placed } from './parts';

export function faultOfAnswers({ answers, pairs, prompts }: AnswersResult): string {
  const none = pairs.findIndex(({ a, b, prompt }) => a >= answers.length || b >= answers.length || prompt >= prompts.length);
  return (
    firstOf(answers, ({ tokens, ids, logprobs }, index) => lengths(`answers.answers.${index}`, { ids, logprobs }, tokens.length)) ||
    (none < 0 ? '' : `answers.pairs.${none}: names an answer or prompt that does not exist`) ||
    firstOf(pairs, ({ common, length, logprobs }, i) => placed(`answers.pairs.${i}.common`, beyond(common, length, 'units')) || placed(`answers.pairs.${i}.logprobs.differing`, beyond(logprobs.differing, logprobs.compared, 'log probabilities')))
  );
}

export function faultOfIds({ a, b, fork, texts }: IdsResult): string {
  const columns = texts === undefined ? '' : lengths('ids.texts', { texts: texts.texts }, texts.ids.length);
  if (columns !== '' || fork === null) return columns;
  if (fork.at >= Math.max(a.ids.length, b.ids.length)) return `ids.fork.at: is ${fork.at}, where both lists have ended`;
  return (a.ids[fork.at] ?? -1) === fork.a && (b.ids[fork.at] ?? -1) === fork.b ? '' : 'ids.fork: names ids that do not stand there';
}
