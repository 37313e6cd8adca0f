// What both engines do in one turn: the same calls over the same tokens, each call timed.
import { performance } from 'node:perf_hooks';

/** An engine under test. Every call returns when its logits are there. */
export interface Runner {
  /** A fresh sequence at position 0. */
  begin(threads: number): Promise<void>;
  /** Logits of the last row. */
  prefill(ids: readonly number[]): Promise<void>;
  decode(id: number): Promise<void>;
  /** Logits of all rows. */
  verify(ids: readonly number[]): Promise<void>;
  end(): void;
}

export interface TurnPlan {
  readonly threads: number;
  readonly vocab: number;
  /** Tokens before the first that is timed. */
  readonly context: number;
  readonly decodes: number;
  readonly widths: readonly number[];
  /** Blocks of each width. */
  readonly blocks: number;
  /** Tokens of the prefill, 0 for none. */
  readonly prefill: number;
}

/** Milliseconds of each call. */
export interface TurnTimes {
  readonly decode: number[];
  /** Per width of the plan. */
  readonly blocks: number[][];
  readonly prefill: number[];
}

/** Untimed steps after the prefill: they bring weights and buffers in. */
const warmUp = 2;

/** Token i of every sequence, spread over the vocabulary. */
export function tokenAt(i: number, vocab: number): number {
  return (i * 7919 + 13) % vocab;
}

export async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

class Tokens {
  private used = 0;

  constructor(private readonly vocab: number) {}

  next(): number {
    this.used += 1;
    return tokenAt(this.used, this.vocab);
  }

  take(count: number): number[] {
    return Array.from({ length: count }, () => this.next());
  }
}

/** Short calls: decodes and blocks after a short context. */
async function shortCalls(runner: Runner, plan: TurnPlan): Promise<Pick<TurnTimes, 'decode' | 'blocks'>> {
  const tokens = new Tokens(plan.vocab);
  const decode: number[] = [];
  const blocks: number[][] = plan.widths.map(() => []);
  await runner.prefill(tokens.take(plan.context));
  for (let i = 0; i < warmUp; i += 1) await runner.decode(tokens.next());
  for (let i = 0; i < plan.decodes; i += 1) decode.push(await timed(() => runner.decode(tokens.next())));
  for (let i = 0; i < plan.blocks; i += 1) {
    for (const [w, width] of plan.widths.entries()) {
      const ids = tokens.take(width);
      blocks[w]?.push(await timed(() => runner.verify(ids)));
    }
  }
  return { decode, blocks };
}

async function longPrefill(runner: Runner, plan: TurnPlan): Promise<number[]> {
  if (plan.prefill === 0) return [];
  const ids = new Tokens(plan.vocab).take(plan.prefill);
  return [await timed(() => runner.prefill(ids))];
}

async function inSequence<T>(runner: Runner, threads: number, work: () => Promise<T>): Promise<T> {
  await runner.begin(threads);
  try {
    return await work();
  } finally {
    runner.end();
  }
}

export async function runTurn(runner: Runner, plan: TurnPlan): Promise<TurnTimes> {
  const short = await inSequence(runner, plan.threads, () => shortCalls(runner, plan));
  const prefill = await inSequence(runner, plan.threads, () => longPrefill(runner, plan));
  return { ...short, prefill };
}
