// Texts and loose values that a user gives for an experiment, read with a sentence for what cannot be taken.
import * as l10n from '@vscode/l10n';
import path from 'node:path';
import { Experiment, limits, type ModelExperiment } from '../shared/experiment';
import { presets, type PresetSettings } from '../shared/presets';
import { argumentOf, notRunnable, refused } from './commandArgument';

export type Parsed<T> = { readonly value: T } | { readonly fault: string };

/** "2, 4 8" */
export function parseWidths(text: string): Parsed<number[]> {
  const numbers = parseIntegers(text);
  if ('fault' in numbers) return numbers;
  const widths = [...new Set(numbers.value)];
  if (widths.length === 0) return { fault: l10n.t('Give at least one block width, for example 2, 4, 8, 16.') };
  if (widths.length > limits.widths) return { fault: l10n.t('At most {0} widths can be compared in one run.', limits.widths) };
  const wrong = widths.find((width) => width < 2 || width > limits.width);
  return wrong === undefined ? { value: widths } : { fault: l10n.t('{0} is no block width: they go from 2 to {1}.', wrong, limits.width) };
}

/** `vocab` 0: unknown. */
export function parseIds(text: string, vocab: number): Parsed<number[]> {
  const ids = parseIntegers(text);
  if ('fault' in ids) return ids;
  if (ids.value.length === 0) return { fault: l10n.t('Give at least one token id, for example 1, 17, 4.') };
  if (ids.value.length > limits.promptIds) return { fault: l10n.t('At most {0} ids can be given.', limits.promptIds) };
  const wrong = vocab > 0 ? ids.value.find((id) => id >= vocab) : undefined;
  return wrong === undefined ? ids : { fault: l10n.t('{0} is beyond the vocabulary: ids of this model go from 0 to {1}.', wrong, vocab - 1) };
}

export function parseInteger(text: string, min: number, max: number): Parsed<number> {
  const fault = l10n.t('Give a whole number from {0} to {1}.', min, max);
  if (!/^\s*\d{1,9}\s*$/.test(text)) return { fault };
  const value = Number(text);
  return value >= min && value <= max ? { value } : { fault };
}

function parseIntegers(text: string): Parsed<number[]> {
  const words = text.split(/[\s,;[\]]+/).filter((word) => word !== '');
  const wrong = words.find((word) => !/^\d{1,9}$/.test(word));
  return wrong === undefined ? { value: words.map(Number) } : { fault: l10n.t('"{0}" is not a whole number.', wrong.slice(0, 40)) };
}

/** `most` whole numbers from `min` to `max`. */
export function parseIntegerList(text: string, min: number, max: number, most: number): Parsed<number[]> {
  const numbers = parseIntegers(text);
  if ('fault' in numbers) return numbers;
  if (numbers.value.length === 0 || numbers.value.length > most) return { fault: l10n.t('Give 1 to {0} whole numbers, separated by commas.', most) };
  const wrong = numbers.value.find((value) => value < min || value > max);
  return wrong === undefined ? numbers : { fault: l10n.t('{0} is out of range: the numbers go from {1} to {2}.', wrong, min, max) };
}

export interface Defaults extends PresetSettings {
  /** Where a relative path starts. */
  readonly folder: string | undefined;
}

/** An experiment as a key binding or a task gives it: what is left out has the settings' values. Throws a Problem that names the field. */
export function experimentFrom<K extends ModelExperiment['kind']>(kind: K, argument: unknown, defaults: Defaults): Extract<ModelExperiment, { kind: K }> {
  if (typeof argument !== 'object' || argument === null || Array.isArray(argument)) throw refused(notRunnable, l10n.t('it is not an object'), '');
  const given = argument as Readonly<Record<string, unknown>>;
  if (typeof given['model'] !== 'string' || given['model'] === '') throw refused(notRunnable, l10n.t('the model folder is a path'), 'model');
  const preset = presets[kind](given['model'], defaults);
  const unknown = Object.keys(given).find((name) => !(name in preset));
  if (unknown !== undefined) throw refused(notRunnable, `Unrecognized key: "${unknown}"`, unknown);
  return withPaths(argumentOf(Experiment, { ...preset, ...given, kind }, notRunnable), defaults.folder) as Extract<ModelExperiment, { kind: K }>;
}

/** Relative paths start at the workspace folder. */
function withPaths(experiment: Experiment, folder: string | undefined): Experiment {
  const absolute = (file: string): string => (folder === undefined ? path.resolve(file) : path.resolve(folder, file));
  const paths = new Set(['model', 'drafter', 'file']);
  return JSON.parse(JSON.stringify(experiment), (key, value: unknown) => (paths.has(key) && typeof value === 'string' ? absolute(value) : value)) as Experiment;
}
