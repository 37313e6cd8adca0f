// The classic side of a parity run: greedy ids of a group of prompts, with the noise of the same run.
import type { Noise } from '../../../shared/results/parts';
import { classicDecode, type ClassicRow } from '../../speculative/classic';
import type { Call, Engine, Model, Session, Step, Switches } from '../../types';
import { larger, round } from '../numbers';
import type { Stopwatch } from '../probe';
import { ordersText, otherOrder } from '../reductionOrders';
import { Sessions } from '../sessions';

export interface ClassicGroup {
  readonly rows: readonly ClassicRow[];
  readonly noise: Noise;
  readonly switches: Switches;
  readonly notes: readonly string[];
  readonly kernels: ReadonlySet<string>;
  readonly threads: number;
  readonly isa: string;
}

export interface ClassicContext {
  readonly engine: Engine;
  readonly model: Model;
  readonly watch: Stopwatch;
  readonly call: Call;
  readonly tokens: number;
  readonly eos: ReadonlySet<number>;
}

/** Candidates kept of each id: enough to find what a burst chose. */
const top = 16;

/** Decodes the group three times side by side: the reference, the same again, and in another reduction order on the same ids. */
export async function classicGroup({ engine, model, watch, call, tokens, eos }: ClassicContext, prompts: readonly (readonly number[])[], switches: Switches): Promise<ClassicGroup> {
  const sessions = new Sessions();
  const steps: Step[] = [];
  const start = async (of: Switches): Promise<{ session: Session; step: Step }> => {
    const session = await sessions.fresh(model, of, { ...call, batch: prompts.length });
    const step = await watch.time('classic prefill', session.prefill(prompts, { ...call, top }));
    steps.push(step);
    return { session, step };
  };
  try {
    const plain = await start(switches);
    const repeat = await start(switches);
    const order = otherOrder(model.info, plain.session.switches);
    const other = order === null ? null : await start(order.switches);
    const noise = { repeatDifferingBytes: 0, floor: 0 as Noise['floor'], orders: ordersText(order) };
    const kernels = new Set<string>();
    const compare = async (step: Step, again: Step, ordered: Step | null): Promise<void> => {
      const a = step.logits;
      if (a === null || again.logits === null) throw new Error('the engine gave no logits');
      for (const { kernel } of step.kernels) kernels.add(kernel);
      const others = [again.logits, ordered?.logits ?? null];
      const pairs = others.flatMap((b) => (b === null ? [] : [{ a, b }]));
      const [repeated, moved] = await watch.time('compare', engine.diff(pairs, call));
      noise.repeatDifferingBytes += repeated?.differingBytes ?? 0;
      noise.floor = larger(noise.floor, round(moved?.maxAbs ?? 0));
    };
    await compare(plain.step, repeat.step, other?.step ?? null);
    const onStep = async (ids: readonly number[], step: Step): Promise<void> => {
      const again = await watch.time('repeat', repeat.session.decode(ids, call));
      const ordered = other === null ? null : await watch.time('otherOrder', other.session.decode(ids, call));
      try {
        await compare(step, again, ordered);
      } finally {
        again.close();
        ordered?.close();
      }
    };
    const rows = await watch.time('classic', classicDecode(plain.session, plain.step, { ...call, tokens, eos, top, context: model.info.context, onStep }));
    const { threads, isa } = plain.step;
    return { rows, noise, switches: plain.session.switches, notes: plain.session.notes, kernels, threads, isa };
  } finally {
    for (const step of steps) step.close();
    sessions.close();
  }
}
