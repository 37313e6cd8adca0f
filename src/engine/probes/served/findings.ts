// What a probe over servers gathers: answers as they come, pairs of them, notes.
import type { Answer, AnswerNoise, AnswerPair, AnswersResult } from '../../../shared/results/answers';
import type { Verdict } from '../../../shared/verdict';
import type { Told } from '../../attached/answer';
import { sidesOf, told, type Sides } from './compare';
import { pairVerdict } from './verdict';

/** An answer with its place in the report. */
export interface Held {
  readonly index: number;
  readonly prompt: number;
  readonly told: Told;
}

const orUnknown = (value: number | null): number => value ?? -1;

function recordOf(label: string, prompt: number, { text, tokens, finish, promptTokens, cachedTokens, together, speculation }: Told): Answer {
  return {
    label,
    prompt,
    text,
    tokens: tokens.map((token) => token.text ?? ''),
    ids: tokens.map((token) => orUnknown(token.id)),
    logprobs: tokens.map((token) => told(token.logprob)),
    finish,
    promptTokens: orUnknown(promptTokens),
    cachedTokens: orUnknown(cachedTokens),
    together: orUnknown(together),
    speculation,
  };
}

export class Findings {
  private readonly answers: Answer[] = [];
  private readonly pairs: AnswerPair[] = [];
  private readonly noted = new Set<string>();
  noise: AnswerNoise | null = null;
  counters: AnswersResult['counters'] = [];

  /** `prompts`: as they were sent. */
  constructor(readonly prompts: readonly string[]) {}

  get floor(): number {
    const floor = Number(this.noise?.floor ?? 0);
    return Number.isNaN(floor) ? 0 : floor;
  }

  add(label: string, prompt: number, answer: Told): Held {
    this.answers.push(recordOf(label, prompt, answer));
    return { index: this.answers.length - 1, prompt, told: answer };
  }

  /** `judge`: where a probe knows more than the two answers say. */
  compare(label: string, a: Held, b: Held, judge: (sides: Sides) => Verdict = (sides) => pairVerdict(sides, this.floor)): Sides {
    const sides = sidesOf(a.told, b.told, this.floor);
    this.pairs.push({ label, prompt: a.prompt, a: a.index, b: b.index, ...sides, verdict: judge(sides) });
    return sides;
  }

  note(sentence: string): void {
    this.noted.add(sentence);
  }

  get compared(): readonly AnswerPair[] {
    return this.pairs;
  }

  /** A copy: a report that was kept does not grow. */
  get result(): AnswersResult {
    return { prompts: [...this.prompts], answers: [...this.answers], pairs: [...this.pairs], noise: this.noise, notes: [...this.noted], counters: [...this.counters] };
  }
}
