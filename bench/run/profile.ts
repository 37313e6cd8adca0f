// Where the time of a call goes, by op, as the engine tells it.
import { performance } from 'node:perf_hooks';
import type { Model, Session, Step } from '../../src/engine/types';
import { exactSwitches, logitsAlone } from './exact';
import { context, prefill, widths } from './plan';
import { tokenAt } from './turn';

export interface Profile {
  /** "decode", "verify W = 4", "prefill 512". */
  readonly figure: string;
  readonly calls: number;
  /** Milliseconds a call: from JavaScript and back, and in the engine. */
  readonly ms: number;
  readonly engineMs: number;
  /** Milliseconds a call by op; `linear` ops are those that ran a matmul. */
  readonly ops: { readonly op: string; readonly linear: boolean; readonly ms: number }[];
}

/** The names of matmul kernels tell family and packing: "exact.b4g64.avx2". */
const matmul = /^\w+\.(?:b\d+g\d+|f32|f16|bf16)\b/;

class Sums {
  private calls = 0;
  private ms = 0;
  private engineMs = 0;
  private readonly ops = new Map<string, number>();
  private readonly linear = new Set<string>();

  async add(call: () => Promise<Step>): Promise<void> {
    const start = performance.now();
    const step = await call();
    this.ms += performance.now() - start;
    this.calls += 1;
    this.engineMs += step.ms;
    for (const { op, ms } of step.times) this.ops.set(op, (this.ops.get(op) ?? 0) + ms);
    for (const { op, kernel } of step.kernels) if (matmul.test(kernel)) this.linear.add(op);
    step.close();
  }

  profile(figure: string): Profile {
    const each = (sum: number): number => sum / this.calls;
    const ops = [...this.ops].map(([op, ms]) => ({ op, linear: this.linear.has(op), ms: each(ms) }));
    return { figure, calls: this.calls, ms: each(this.ms), engineMs: each(this.engineMs), ops: ops.sort((a, b) => b.ms - a.ms) };
  }
}

async function profiled(figure: string, calls: number, call: (i: number) => Promise<Step>): Promise<Profile> {
  const sums = new Sums();
  for (let i = 0; i < calls; i += 1) await sums.add(() => call(i));
  return sums.profile(figure);
}

async function inSession<T>(model: Model, threads: number, work: (session: Session, ids: (count: number) => number[]) => Promise<T>): Promise<T> {
  const session = await model.open(exactSwitches(model.info, threads));
  const ids = (count: number): number[] => Array.from({ length: count }, (_, i) => tokenAt(i + 1, model.info.vocab));
  try {
    return await work(session, ids);
  } finally {
    session.close();
  }
}

/** Every figure of the table, `calls` short calls each. */
export async function profilesOf(model: Model, threads: number, calls: number): Promise<Profile[]> {
  const short = await inSession(model, threads, async (session, ids) => {
    (await session.prefill(ids(context), logitsAlone)).close();
    const all = [await profiled('decode', calls, (i) => session.decode([ids(calls)[i] ?? 0], logitsAlone))];
    for (const width of widths) all.push(await profiled(`verify W = ${width}`, Math.max(1, Math.round(calls / 3)), () => session.verify(ids(width), logitsAlone)));
    return all;
  });
  const long = await inSession(model, threads, (session, ids) => profiled(`prefill ${prefill}`, 1, () => session.prefill(ids(prefill), logitsAlone)));
  return [...short, long];
}
