// Margins between candidates of a row of logits.
import { readElement } from '../floats';
import type { Candidate, Float, Tensor } from '../types';
import { difference, round } from './numbers';

/** Best minus second-best logit; 0 for a vocabulary of one. */
export function margin([best, second]: readonly Candidate[]): Float {
  if (best === undefined || second === undefined) return 0;
  return round(difference(best.logit, second.logit));
}

/** The best logit of a row minus its logit of `id`; 0 where `id` is the best. `top`: the row's best candidates. */
export async function gapTo(id: number, top: readonly Candidate[], logits: Tensor, row: number): Promise<Float> {
  const [best] = top;
  if (best === undefined || best.id === id) return 0;
  const known = top.find((candidate) => candidate.id === id)?.logit;
  return round(difference(best.logit, known ?? named(await readElement(logits, row, id))));
}

function named(value: number): Float {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}
