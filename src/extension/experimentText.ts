// Texts and loose values that a user gives for an experiment, read with a sentence for what cannot be taken.
import path from 'node:path';
import { z } from 'zod';
import { BisectExperiment, limits } from '../shared/experiment';
import { Problem } from './problem';

export type Parsed<T> = { readonly value: T } | { readonly fault: string };

/** "2, 4 8" */
export function parseWidths(text: string): Parsed<number[]> {
  const numbers = parseIntegers(text);
  if ('fault' in numbers) return numbers;
  const widths = [...new Set(numbers.value)];
  if (widths.length === 0) return { fault: 'Give at least one block width, for example 2, 4, 8, 16.' };
  if (widths.length > limits.widths) return { fault: `At most ${limits.widths} widths can be compared in one run.` };
  const wrong = widths.find((width) => width < 2 || width > limits.width);
  return wrong === undefined ? { value: widths } : { fault: `${wrong} is no block width: they go from 2 to ${limits.width}.` };
}

/** `vocab` 0: unknown. */
export function parseIds(text: string, vocab: number): Parsed<number[]> {
  const ids = parseIntegers(text);
  if ('fault' in ids) return ids;
  if (ids.value.length === 0) return { fault: 'Give at least one token id, for example 1, 17, 4.' };
  if (ids.value.length > limits.promptIds) return { fault: `At most ${limits.promptIds} ids can be given.` };
  const wrong = vocab > 0 ? ids.value.find((id) => id >= vocab) : undefined;
  return wrong === undefined ? ids : { fault: `${wrong} is beyond the vocabulary: ids of this model go from 0 to ${vocab - 1}.` };
}

export function parseInteger(text: string, min: number, max: number): Parsed<number> {
  const fault = `Give a whole number from ${min} to ${max}.`;
  if (!/^\s*\d{1,9}\s*$/.test(text)) return { fault };
  const value = Number(text);
  return value >= min && value <= max ? { value } : { fault };
}

function parseIntegers(text: string): Parsed<number[]> {
  const words = text.split(/[\s,;[\]]+/).filter((word) => word !== '');
  const wrong = words.find((word) => !/^\d{1,9}$/.test(word));
  return wrong === undefined ? { value: words.map(Number) } : { fault: `"${wrong.slice(0, 40)}" is not a whole number.` };
}

export interface Defaults {
  readonly widths: readonly number[];
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
  /** Where a relative model path starts. */
  readonly folder: string | undefined;
}

const Argument = z.strictObject(BisectExperiment.partial().required({ model: true }).shape);

/** An experiment as a key binding or a task gives it: what is left out has the settings' values. */
export function experimentFrom(argument: unknown, defaults: Defaults): BisectExperiment {
  const parsed = Argument.safeParse(argument);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.map(String).join('.') ?? '';
    const title = `The experiment that the command was given cannot be run: ${issue?.message ?? 'its shape is wrong'}`;
    throw new Problem({ kind: 'input', title, place, action: 'Mend that field, or run the command without arguments' }, { cause: parsed.error });
  }
  const { model, widths, input, walk, switches } = parsed.data;
  return {
    kind: 'bisect',
    model: defaults.folder === undefined ? path.resolve(model) : path.resolve(defaults.folder, model),
    widths: widths ?? [...defaults.widths],
    input: input ?? { type: 'draws', draws: defaults.draws, promptLength: defaults.promptLength },
    walk: walk ?? defaults.walk,
    switches: switches ?? {},
  };
}
