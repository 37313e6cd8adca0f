// Verdicts over answers of servers: computed from tokens and log probabilities as far as they are told.
import { greatest } from '../../../shared/extremes';
import { formatCount, formatFloat, formatList, plural } from '../../../shared/format';
import type { AnswerNoise, AnswerPair } from '../../../shared/results/answers';
import { gravest, type Verdict, type VerdictWord } from '../../../shared/verdict';
import type { Sides } from './compare';

const quote = (text: string): string => JSON.stringify(text.slice(0, 40));

function forkSentence({ fork, unit }: Sides, floor: number): string {
  if (fork === null) return '';
  const apart = fork.gap === 'NaN' ? unknownGap(fork.word, floor) : `${formatFloat(fork.gap)} apart in log probability, against a noise floor of ${formatFloat(floor)}`;
  return `They part at ${unit === 'tokens' ? 'token' : 'character'} ${formatCount(fork.at)}: ${quote(fork.a)} (A) against ${quote(fork.b)} (B), ${apart}.`;
}

const unknownGap = (word: VerdictWord, floor: number): string =>
  word === 'defect' ? `farther apart than the last candidate that is told, and so than the noise floor of ${formatFloat(floor)}` : 'how far these are apart is not told, so whether this is a tie or a defect is not known';

export function pairVerdict(sides: Sides, floor: number): Verdict {
  const { fork, logprobs, unit, common, length } = sides;
  if (fork !== null) return { word: fork.word, sentence: forkSentence(sides, floor) };
  if (length === 0) return { word: 'void', sentence: 'Both answers are empty.' };
  const text = `${plural(common, unit === 'tokens' ? 'token' : 'character')} the same`;
  if (logprobs.differing > 0) return { word: 'drift', sentence: `${text}; ${formatCount(logprobs.differing)} of ${plural(logprobs.compared, 'log probability', 'log probabilities')} differ, by up to ${formatFloat(logprobs.largest)} (token ${formatCount(logprobs.at)}), first at token ${formatCount(logprobs.first)}.` };
  return { word: 'equal', sentence: logprobs.compared === 0 ? `${text}; log probabilities are not told.` : `${text}, and ${logprobs.compared === 1 ? 'its log probability' : `all ${formatCount(logprobs.compared)} log probabilities`} as printed.` };
}

/** `floor`: for places where the scored text has another best token. `gaps`: of them, best minus scored log probability. */
export function rescoreVerdict(sides: Sides, gaps: readonly number[], floor: number): Verdict {
  const plain = pairVerdict(sides, floor);
  if (gaps.length === 0 || sides.fork !== null) return plain;
  const largest = greatest(gaps);
  return { word: largest <= floor ? 'tie' : 'defect', sentence: `Scored as a prompt, ${plural(gaps.length, 'token')} of the answer ${gaps.length === 1 ? 'is' : 'are'} not the best of ${gaps.length === 1 ? 'its place' : 'their places'}, by up to ${formatFloat(largest)} against a noise floor of ${formatFloat(floor)}. ${plain.sentence}` };
}

const order = ['equal', 'drift', 'tie', 'defect', 'declined', 'void'] as const satisfies readonly VerdictWord[];

/** `lead`: what has to be read first, "" for nothing. */
export function overall(pairs: readonly AnswerPair[], noise: AnswerNoise | null, lead = ''): Verdict {
  if (pairs.length === 0) return { word: 'void', sentence: 'Nothing was compared.' };
  const word = gravest(pairs.map(({ verdict }) => verdict.word));
  const of = (which: VerdictWord): AnswerPair[] => pairs.filter(({ verdict }) => verdict.word === which);
  const counts = order.flatMap((which) => (of(which).length === 0 ? [] : [`${formatCount(of(which).length)} ${which}`]));
  const [worst] = of(word);
  const unstable = noise !== null && noise.repeatDiffering > 0 && word !== 'equal' ? ' The same request twice already differs, so this server is not reproducible by itself.' : '';
  return { word, sentence: `${lead === '' ? '' : `${lead} `}Of ${plural(pairs.length, 'pair')} of answers ${formatList(counts)}. ${worst?.label ?? ''}: ${worst?.verdict.sentence ?? ''}${unstable}` };
}
