// Steps that ask for one value: a number, widths, a list of ids.
import * as vscode from 'vscode';
import { parseIds, parseInteger, parseIntegerList, parseWidths, type Parsed } from './experimentText';
import { textStep, type Move, type Place } from './steps';

interface ValueStep<T> {
  readonly prompt: string;
  readonly value: T;
  readonly write: (value: T) => void;
}

function parsedStep<T>(place: Place, { prompt, value, write }: ValueStep<T>, show: (value: T) => string, parse: (text: string) => Parsed<T>): Promise<Move> {
  return textStep(place, {
    prompt,
    value: show(value),
    check: (text) => {
      const parsed = parse(text);
      return 'fault' in parsed ? parsed.fault : '';
    },
    accept: (text) => {
      const parsed = parse(text);
      if ('value' in parsed) write(parsed.value);
    },
  });
}

const shown = (values: readonly number[]): string => values.join(', ');

export function numberStep(place: Place, { min, max, ...step }: ValueStep<number> & { readonly min: number; readonly max: number }): Promise<Move> {
  return parsedStep(place, step, String, (text) => parseInteger(text, min, max));
}

/** `vocab` 0: unknown. */
export function idsStep(place: Place, { vocab, ...step }: ValueStep<number[]> & { readonly vocab: number }): Promise<Move> {
  return parsedStep(place, step, shown, (text) => parseIds(text, vocab));
}

export function listStep(place: Place, { min, max, most, ...step }: ValueStep<number[]> & { readonly min: number; readonly max: number; readonly most: number }): Promise<Move> {
  return parsedStep(place, step, shown, (text) => parseIntegerList(text, min, max, most));
}

export function widthsStep(place: Place, experiment: { widths: number[] }): Promise<Move> {
  return parsedStep(place, { prompt: vscode.l10n.t('Block widths to compare, separated by commas'), value: experiment.widths, write: (widths) => (experiment.widths = widths) }, shown, parseWidths);
}
