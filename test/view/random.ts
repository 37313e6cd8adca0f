// Seeded numbers, so that a failing case can be run again by its seed.
export interface Random {
  /** 0 <= n < 1. */
  next(): number;
  /** from <= n < to, whole. */
  whole(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
}

export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from));
  return { next, whole, pick: (items) => items[whole(0, items.length)]! };
}
