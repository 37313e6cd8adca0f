// How a fault of a report is said, "place: what is wrong", and the checks that several kinds share. "" stands for none.
import type { ChoiceRows, Float, Noise, StateDiff } from '../results/parts';

export function firstOf<T>(items: readonly T[], fault: (item: T, index: number) => string): string {
  for (const [index, item] of items.entries()) {
    const found = fault(item, index);
    if (found !== '') return found;
  }
  return '';
}

/** The first value with a fault, named by its place in the list. */
export const faultIn = <T>(at: string, values: readonly T[], fault: (value: T, index: number) => string): string =>
  firstOf(values, (value, index) => {
    const found = fault(value, index);
    return found === '' ? '' : `${at}.${index}: ${found}`;
  });

export function lengths(at: string, columns: Readonly<Record<string, readonly unknown[]>>, expected: number): string {
  const wrong = Object.entries(columns).find(([, column]) => column.length !== expected);
  return wrong === undefined ? '' : `${at}.${wrong[0]}: has ${wrong[1].length} entries where ${expected} belong`;
}

/** A part that is larger than its whole. */
export const beyond = (value: number, whole: number, what: string): string => (value > whole ? `is ${value}, of ${whole} ${what}` : '');

/** A count that is used as a size. */
export const outside = (value: number, least: number, most: number): string => (value >= least && value <= most ? '' : `is ${value}, and can be ${least} to ${most}`);

export const negative = (value: Float): string => (value === '-Infinity' || (typeof value === 'number' && value < 0) ? `is ${value}, and cannot be below 0` : '');

/** `fault` with its place before it. */
export const placed = (at: string, fault: string): string => (fault === '' ? '' : `${at}: ${fault}`);

export const faultOfNoise = ({ floor }: Noise, at: string): string => placed(`${at}.floor`, negative(floor));

export const faultOfState = (state: readonly StateDiff[], at: string): string =>
  firstOf(state, ({ bytes, differingBytes, relL2 }, i) => placed(`${at}.${i}.differingBytes`, beyond(differingBytes, bytes, 'bytes')) || placed(`${at}.${i}.relL2`, negative(relL2)));

/** `most`: rows that there can be. */
export function faultOfChoices({ bytes, ...columns }: ChoiceRows, at: string, most: number): string {
  const { differingBytes } = columns;
  return (
    lengths(at, columns, differingBytes.length) ||
    placed(`${at}.differingBytes`, differingBytes.length > most ? `has ${differingBytes.length} entries where at most ${most} belong` : '') ||
    faultIn(`${at}.differingBytes`, differingBytes, (differing) => beyond(differing, bytes, 'bytes'))
  );
}
