// Whether both engines compute the same model: not the same bytes, since llama.cpp rounds activations to 8 bits, but nearly the same logits.
import type { ModelRun } from '../results/raw';
import type { Started } from './contender';

const tokens = 32;

function best(logits: Float32Array): number {
  return logits.reduce((at, value, i) => (value > (logits[at] ?? -Infinity) ? i : at), 0);
}

/** |a - b| / |a| over all logits. */
export function relativeDistance(a: Float32Array, b: Float32Array): number {
  let [difference, size] = [0, 0];
  for (const [i, x] of a.entries()) {
    difference += (x - (b[i] ?? NaN)) ** 2;
    size += x ** 2;
  }
  return Math.sqrt(difference / size);
}

export async function agreementOf(started: readonly Started[], threads: number): Promise<ModelRun['agreement']> {
  const [own, other] = ['moire', 'llama'].map((engine) => started.find(({ contender }) => contender.engine === engine));
  if (own === undefined || other === undefined) return null;
  const logits = ({ contender, loaded }: Started): Promise<Float32Array> => contender.child.call('logits', { tokens, vocab: loaded.vocab, threads });
  const [a, b] = [await logits(own), await logits(other)];
  return { tokens, relativeDistance: relativeDistance(a, b), sameBest: best(a) === best(b) };
}
