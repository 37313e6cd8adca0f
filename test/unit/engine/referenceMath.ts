// fp32 arithmetic with a selectable order of summation: the same causes of divergence that real engines have, small enough to follow by hand.
export type Order = 'forward' | 'backward' | 'integer';

const f = Math.fround;

/** Sum of x * w in the given order. `integer`: both sides on a fixed grid, so that every order gives the same. */
export function dot(x: Float32Array, w: Float32Array, order: Order): number {
  if (order === 'integer') return f(x.reduce((sum, value, i) => sum + Math.round(value * 4096) * Math.round((w[i] ?? 0) * 4096), 0) / 4096 / 4096);
  let sum = 0;
  for (let k = 0; k < x.length; k += 1) {
    const i = order === 'forward' ? k : x.length - 1 - k;
    sum = f(sum + f((x[i] ?? 0) * (w[i] ?? 0)));
  }
  return sum;
}

export function matvec(weights: readonly Float32Array[], x: Float32Array, order: Order): Float32Array {
  return Float32Array.from(weights, (row) => dot(x, row, order));
}

export function add(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, i) => value + (b[i] ?? 0));
}

export function rmsNorm(x: Float32Array): Float32Array {
  const scale = f(1 / Math.sqrt(f(dot(x, x, 'forward') / x.length) + 1e-6));
  return x.map((value) => value * scale);
}

/** Softmax-weighted sum of v over the cached positions, taken in the given order. */
export function attend(q: Float32Array, keys: readonly Float32Array[], values: readonly Float32Array[], order: Order): Float32Array {
  const scores = keys.map((key) => dot(q, key, 'forward'));
  const top = Math.max(...scores);
  const weights = Float32Array.from(scores, (score) => Math.exp(score - top));
  const total = dot(weights, weights.map(() => 1), order);
  return q.map((_, channel) => f(dot(weights, Float32Array.from(values, (value) => value[channel] ?? 0), order) / total));
}

/** Weights that are the same on every machine. */
export function weights(rows: number, columns: number, seed: number): Float32Array[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000 - 0.5;
  };
  return Array.from({ length: rows }, () => Float32Array.from({ length: columns }, () => next() * 1.7));
}
