// One pass of an arm over all prompts, with the clock around it.
import type { Phases } from '../../../shared/results/widths';
import { classicDecode, type ClassicRow } from '../../speculative/classic';
import { runBurst, type Burst } from '../../speculative/burst';
import type { BurstSwitches } from '../../speculative/burstSwitches';
import { draftSwitches } from '../../speculative/draftSwitches';
import { Observer } from '../../speculative/observer';
import type { Call, Drafter, Model, Step, Switches } from '../../types';
import { Sessions } from '../sessions';

export interface PassContext {
  readonly model: Model;
  readonly drafter: Drafter;
  readonly prompts: readonly (readonly number[])[];
  readonly tokens: number;
  readonly eos: ReadonlySet<number>;
  readonly switches: Switches;
  readonly burst: BurstSwitches;
  readonly call: Call;
}

export interface Pass {
  /** Emitted ids of every prompt. */
  readonly ids: readonly (readonly number[])[];
  readonly ms: number;
  readonly phases: Phases;
  readonly bursts: readonly Burst[];
  readonly kernels: ReadonlySet<string>;
}

const none: Phases = { prefill: 0, draft: 0, verify: 0, accept: 0, rewind: 0, decode: 0 };

/** Classic decode of every prompt. */
export async function classicPass({ model, prompts, tokens, eos, switches, call }: PassContext): Promise<Pass> {
  const phases = { ...none };
  const ids: (readonly number[])[] = [];
  const kernels = new Set<string>();
  const started = performance.now();
  for (const prompt of prompts) {
    const sessions = new Sessions();
    try {
      const session = await sessions.fresh(model, switches, call);
      const before = performance.now();
      const step = await session.prefill(prompt, call);
      step.close();
      const between = performance.now();
      const onStep = (_: readonly number[], { kernels: ran }: Step): Promise<void> => {
        for (const { kernel } of ran) kernels.add(kernel);
        return Promise.resolve();
      };
      const rows: ClassicRow[] = await classicDecode(session, step, { ...call, tokens, eos, top: 1, context: model.info.context, onStep });
      phases.prefill += between - before;
      phases.decode += performance.now() - between;
      ids.push(rows[0]?.ids ?? []);
    } finally {
      sessions.close();
    }
  }
  return { ids, ms: performance.now() - started, phases, bursts: [], kernels };
}

/** A burst of every prompt at one width. */
export async function burstPass({ model, drafter, prompts, tokens, eos, switches, burst, call }: PassContext, width: number): Promise<Pass> {
  const phases = { ...none };
  const bursts: Burst[] = [];
  const started = performance.now();
  for (const prompt of prompts) {
    const sessions = new Sessions();
    const draft = await drafter.open(draftSwitches(drafter.info, switches), call);
    try {
      const session = await sessions.fresh(model, switches, call);
      const options = { width, tokens, eos, context: model.info.context, prefill: { path: burst.prefill, partition: 0 }, call };
      const done = await runBurst(session, new Observer(draft, drafter.info), drafter.info.family === 'mtp', [prompt], options);
      bursts.push(done);
      phases.prefill += done.ms.prefill;
      for (const { ms } of done.rounds) for (const phase of ['draft', 'verify', 'accept', 'rewind'] as const) phases[phase] += ms[phase];
    } finally {
      draft.close();
      sessions.close();
    }
  }
  return { ids: bursts.map(({ rows }) => rows[0]?.ids ?? []), ms: performance.now() - started, phases, bursts, kernels: new Set(bursts.flatMap((one) => [...one.kernels])) };
}
