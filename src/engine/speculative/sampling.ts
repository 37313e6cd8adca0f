// Sampling at a temperature, and the rejection rule that keeps it lossless under speculation
// (Leviathan et al. 2023, "Fast Inference from Transformers via Speculative Decoding", algorithm 1; Chen et al. 2023).
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

export interface SamplingOptions {
  /** Above 0; greedy decode needs no sampling. */
  readonly temperature: number;
  /** Best candidates that may be chosen, 0: all. */
  readonly topK: number;
  /** Mass of the best candidates that may be chosen, 1: all. */
  readonly topP: number;
  readonly seed: number;
}

/** Numbers in [0, 1), the same for the same seed. */
export type Uniform = () => number;

export function uniformOf(seed: number): Uniform {
  const generator = xoroshiro128plusFromState([1, 2, 3, 4].map((word) => mixed(seed + Math.imul(word, 0x9e3779b9))));
  return () => uniformFloat64(generator);
}

/** The finaliser of MurmurHash3. Seeded with the bare number the generator begins with the same numbers for all small seeds. */
function mixed(word: number): number {
  const a = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return b ^ (b >>> 16);
}

/**
 * Probabilities of one row of logits: softmax(logits / temperature), then the top k entries (ties: lower id first), then those whose preceding cumulative mass is below
 * top p, renormalised. Logits that are not numbers have no chance.
 */
export function distribution(logits: Float32Array, { temperature, topK, topP }: SamplingOptions): Float64Array {
  const scaled = Float64Array.from(logits, (logit) => (Number.isNaN(logit) ? -Infinity : logit / temperature));
  const best = scaled.reduce((most, value) => Math.max(most, value), -Infinity);
  const weights = scaled.map((value) => (value === best ? 1 : Math.exp(value - best)));
  return normalised(topP < 1 || topK > 0 ? restricted(weights, topK, topP) : weights);
}

function restricted(weights: Float64Array, topK: number, topP: number): Float64Array {
  const order = [...weights.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  const candidates = topK > 0 ? order.slice(0, topK) : order;
  const total = candidates.reduce((sum, id) => sum + (weights[id] ?? 0), 0);
  const kept = new Float64Array(weights.length);
  let before = 0;
  for (const id of candidates) {
    if (before >= topP * total) break;
    kept[id] = weights[id] ?? 0;
    before += weights[id] ?? 0;
  }
  return kept;
}

function normalised(weights: Float64Array): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** An id drawn from a distribution by its cumulative mass. */
export function draw(probabilities: Float64Array, u: number): number {
  let mass = 0;
  let last = 0;
  for (const [id, p] of probabilities.entries()) {
    if (p === 0) continue;
    mass += p;
    last = id;
    if (u < mass) return id;
  }
  // Rounding can leave the sum just below u.
  return last;
}

export interface Verdict {
  readonly accepted: number;
  readonly bonus: number;
}

/**
 * `p[j]`: target's distribution after row j, drafts.length + 1 of them; `q[j]`: what draft j was drawn from. Draft j stands when u * q(d) < p(d); the first that does not is
 * replaced by a draw from the positive part of p - q, and after all of them the bonus is drawn from the last p. What is emitted is distributed as p, whatever q is.
 */
export function rejection(drafts: readonly number[], p: readonly Float64Array[], q: readonly Float64Array[], uniform: Uniform): Verdict {
  for (const [j, id] of drafts.entries()) {
    const [target, draft] = [rowOf(p, j), rowOf(q, j)];
    if (uniform() * (draft[id] ?? 0) < (target[id] ?? 0)) continue;
    return { accepted: j, bonus: draw(residual(target, draft), uniform()) };
  }
  return { accepted: drafts.length, bonus: draw(rowOf(p, drafts.length), uniform()) };
}

/** normalise(max(p - q, 0)); p itself where that is nothing. */
function residual(p: Float64Array, q: Float64Array): Float64Array {
  const positive = p.map((value, id) => Math.max(0, value - (q[id] ?? 0)));
  return positive.some((value) => value > 0) ? normalised(positive) : p;
}

function rowOf(rows: readonly Float64Array[], j: number): Float64Array {
  const row = rows[j];
  if (row === undefined) throw new Error(`row ${j} of ${rows.length} distributions was needed`);
  return row;
}
