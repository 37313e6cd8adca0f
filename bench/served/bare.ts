// The bare engine loop that a served request is held against: a session, a prefill, single steps, nothing else.
import { performance } from 'node:perf_hooks';
import type { Model, Switches } from '../../src/engine/types';
import type { Timed } from './server';

export async function bareLoop(model: Model, switches: Switches, prompt: readonly number[], tokens: number): Promise<Timed> {
  const began = performance.now();
  const session = await model.open(switches);
  try {
    let step = await session.prefill([prompt], { top: 2 });
    const first = performance.now() - began;
    for (let emitted = 1; emitted < tokens; emitted += 1) {
      const id = step.top[0]?.[0]?.id ?? 0;
      step.close();
      step = await session.decode([id], { top: 2 });
    }
    step.close();
    return { firstMs: first, wholeMs: performance.now() - began, tokens };
  } finally {
    session.close();
  }
}
