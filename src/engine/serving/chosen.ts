// Tokens that a forward gave, as they are told: text, origin, probability.
import { greatest } from '../../shared/extremes';
import { readRows } from '../floats';
import { distribution, draw } from '../speculative/sampling';
import type { Candidate, Step } from '../types';
import type { Choice, Emitted } from './request';
import type { Served } from './served';

/** A token before its text is known, and the row of logits that it was chosen from. */
export interface Chosen {
  readonly id: number;
  readonly origin: Emitted['origin'];
  readonly round: number;
  readonly top: readonly Candidate[];
  /** Null where no probability was asked for. */
  readonly logits: Float32Array | null;
}

/** Candidates that a request needs of a row: two for the margin, more if it asks for them. */
export const candidatesFor = (served: readonly Served[]): number => greatest([2, ...served.map(({ request }) => request.logprobs ?? 0)]);

/** Rows of logits, read only where somebody samples or asks for probabilities. */
export async function logitsFor(step: Step, served: readonly Served[], sampled = true): Promise<readonly Float32Array[] | null> {
  const needed = served.some(({ request, sampler }) => request.logprobs !== null || request.promptLogprobs || (sampled && sampler !== null));
  return needed && step.logits !== null ? readRows(step.logits) : null;
}

/** What a row of logits gives a request: its best candidate, or a drawn one. */
export function choose({ sampler }: Served, top: readonly Candidate[], logits: Float32Array | undefined): number {
  return sampler === null || logits === undefined ? (top[0]?.id ?? 0) : draw(distribution(logits, sampler.options), sampler.uniform());
}

/** ln Σ exp(logit). */
function logSum(logits: Float32Array): number {
  const best = logits.reduce((most, logit) => (logit > most ? logit : most), -Infinity);
  return best + Math.log(logits.reduce((sum, logit) => sum + (Number.isNaN(logit) ? 0 : Math.exp(logit - best)), 0));
}

const number = (logit: Candidate['logit'] | undefined): number => Number(logit ?? NaN);

function marginOf([best, second]: readonly Candidate[]): number | null {
  const margin = number(best?.logit) - number(second?.logit);
  return Number.isFinite(margin) ? margin : null;
}

/** JSON has no infinity, so the smallest probability stands for none. */
const finite = (value: number): number => (Number.isFinite(value) ? value : -Number.MAX_VALUE);

/** `asked`: candidates to tell, null for none. */
const listed = ({ top }: Chosen, asked: number | null): readonly Candidate[] => (asked === null ? [] : top.slice(0, asked));

/** Ids whose text `told` needs. */
export const toldIds = (chosen: readonly Chosen[], asked: number | null): number[] => chosen.flatMap((one) => [one.id, ...listed(one, asked).map(({ id }) => id)]);

export function told(chosen: readonly Chosen[], asked: number | null, text: (id: number) => string): Emitted[] {
  return chosen.map((one): Emitted => {
    const { id, origin, round, top, logits } = one;
    const sum = logits === null || asked === null ? NaN : logSum(logits);
    const choices = listed(one, asked).map((candidate): Choice => ({ id: candidate.id, text: text(candidate.id), logprob: finite(number(candidate.logit) - sum) }));
    return { id, text: text(id), origin, round, logprob: logits === null || asked === null ? null : finite((logits[id] ?? NaN) - sum), margin: marginOf(top), top: choices };
  });
}
