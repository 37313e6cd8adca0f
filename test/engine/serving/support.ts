// A served sample pair on the built-in engine, and what the same requests give alone by single steps.
import { afterAll } from 'vitest';
import type { Delta, Emitted, GenerateRequest, Outcome } from '../../../src/engine/serving/request';
import type { ServeOptions } from '../../../src/engine/serving/options';
import { ServedModel } from '../../../src/engine/serving/service';
import { classicDecode } from '../../../src/engine/speculative/classic';
import { sample } from '../product';
import { dflashPath, engine, exact, target } from '../speculation/support';

export { exact };

const started: ServedModel[] = [];
afterAll(async () => {
  for (const one of started) await one.close();
});

export async function serve(options: Partial<ServeOptions> = {}): Promise<ServedModel> {
  const served = await ServedModel.start(engine, { model: sample, drafter: dflashPath, width: 4, switches: exact, parallel: 8, pieceTokens: 64, cacheEntries: 16, cacheTokens: 16_384, override: false, capture: null, ...options });
  started.push(served);
  // Requests do not wait for the gate; tests of speculation do.
  while (served.state().gate === null) await new Promise((resolve) => setTimeout(resolve, 10));
  return served;
}

export const request = (prompt: readonly number[], more: Partial<GenerateRequest> = {}): GenerateRequest => ({
  name: 'test', prompt: [...prompt], maxTokens: 32, sampling: null, stop: [], ignoreEos: true, logprobs: null, promptLogprobs: false, cache: false, cuts: [], speculate: true, capture: false, client: 'a', ...more,
});

export interface Heard {
  readonly outcome: Outcome;
  readonly ids: number[];
  readonly tokens: Emitted[];
  readonly prompt: Emitted[];
  readonly text: string;
  readonly deltas: Delta[];
}

/** `onDelta` may end the request by the controller. */
export async function ask(served: ServedModel, asked: GenerateRequest, onDelta: (deltas: number, controller: AbortController) => void = () => undefined): Promise<Heard> {
  const controller = new AbortController();
  const deltas: Delta[] = [];
  const prompt: Emitted[] = [];
  const outcome = await served.generate(asked, {
    signal: controller.signal,
    onPrompt: (tokens) => void prompt.push(...tokens),
    onDelta: (delta) => {
      deltas.push(delta);
      onDelta(deltas.length, controller);
    },
  });
  const tokens = deltas.flatMap((delta) => [...delta.tokens]);
  return { outcome, ids: tokens.map(({ id }) => id), tokens, prompt, text: deltas.map(({ text }) => text).join(''), deltas };
}

/** Greedy ids of a prompt alone. */
export async function alone(prompt: readonly number[], tokens = 32): Promise<number[]> {
  const session = await target.open(exact);
  try {
    const step = await session.prefill(prompt);
    step.close();
    const [row] = await classicDecode(session, step, { tokens, eos: new Set(), top: 1, context: target.info.context });
    return row!.ids;
  } finally {
    session.close();
  }
}

/** Prompts of different lengths and contents. */
export const prompts: readonly (readonly number[])[] = [5, 33, 64, 65, 100, 130, 17, 48, 80, 12].map((length, i) => Array.from({ length }, (_, j) => (j * (7 + i) + 977 * i + 3) % 4096));
