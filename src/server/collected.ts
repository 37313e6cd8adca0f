// One choice of an answer, collected while it comes.
import { append } from '../shared/append';
import type { Delta, Emitted, Outcome } from '../engine/serving/request';
import type { Asked } from './asked';
import type { Completer } from './completer';

export class Collected {
  text = '';
  readonly tokens: Emitted[] = [];
  readonly prompt: Emitted[] = [];

  add({ tokens, text }: Delta): void {
    this.text += text;
    append(this.tokens, tokens);
  }
}

export interface Answer {
  readonly asked: Asked;
  readonly collected: Collected;
  readonly outcome: Outcome;
}

/** Runs all choices side by side. `onDelta` hears of each as it comes. One that fails ends the others. */
export async function answers(completer: Completer, asked: readonly Asked[], gone: AbortSignal, onDelta?: (choice: number, delta: Delta, collected: Collected) => void): Promise<Answer[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([gone, failed.signal]);
  const one = async (choice: Asked, index: number): Promise<Answer> => {
    const collected = new Collected();
    const onPrompt = (tokens: readonly Emitted[]): void => append(collected.prompt, tokens);
    const outcome = await completer.generate(choice.request, {
      signal,
      onPrompt,
      onDelta: (delta) => {
        collected.add(delta);
        onDelta?.(index, delta, collected);
      },
    });
    return { asked: choice, collected, outcome };
  };
  try {
    return await Promise.all(asked.map(one));
  } catch (error) {
    failed.abort();
    throw error;
  }
}
