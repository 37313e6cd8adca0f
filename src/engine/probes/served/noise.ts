// How far the answers of arm A part that should not: the same request again, and among copies of itself, where an engine may add in another order but nothing foreign can reach it.
import { plural } from '../../../shared/format';
import type { AnswerNoise } from '../../../shared/results/answers';
import type { Told } from '../../attached/answer';
import { movement, sidesOf, told } from './compare';
import { together, type AttachedServer, type Question } from './server';

/** Engines pick other kernels for many rows than for one, some of them from 8 on. */
const company = 8;

export const largestOf = (values: readonly number[]): number => values.reduce((most, value) => (Number.isNaN(value) ? most : Number.isNaN(most) ? value : Math.max(most, value)), NaN);

export const differing = (first: Told, again: Told): number => {
  const { logprobs, fork, length, common } = sidesOf(first, again, 0);
  return logprobs.differing + (fork === null ? 0 : length - common);
};

export async function noiseOf(server: AttachedServer, question: Question, first: Told, signal: AbortSignal | undefined, copies = company): Promise<AnswerNoise> {
  const again = await server.answer(question, signal);
  const others = await together(copies, (_, both) => server.answer(question, both), signal);
  const floor = largestOf([again, ...others].map((other) => movement(first, other)));
  return { repeatDiffering: differing(first, again), floor: told(floor), orders: `alone against ${plural(copies, 'copy', 'copies')} at once` };
}
