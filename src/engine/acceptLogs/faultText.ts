// What is wrong with an entry of a log, in words: what its schema says is for programs.
import type { z } from 'zod';
import { placeOf } from '../../shared/issues';

type Fault = z.core.$ZodIssue;

const kinds: Readonly<Record<string, string>> = { number: 'a number', int: 'a whole number', string: 'text', boolean: 'true or false', array: 'a list', object: 'an object', record: 'an object' };

/** What stands at `path`; undefined: nothing. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined), value);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number too large for this format';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…${text.endsWith('"') ? '"' : ''}` : text;
}

/** "has to be ..." */
function demand(fault: Fault): string {
  switch (fault.code) {
    case 'invalid_type':
      return kinds[fault.expected] ?? 'of another kind';
    case 'too_small':
      return fault.origin === 'string' || fault.origin === 'array' ? 'longer' : `${String(fault.minimum)} or more`;
    case 'too_big':
      return fault.origin === 'string' || fault.origin === 'array' ? `no longer than ${String(fault.maximum)}` : `${String(fault.maximum)} or less`;
    case 'invalid_value':
      return fault.values.length === 1 ? shown(fault.values[0]) : `one of ${fault.values.map(String).join(', ')}`;
    default:
      return 'of another kind';
  }
}

/** `"drafts[1]" has to be a whole number, but is "x"`, or `"accepted" is missing`. */
export function faultText(error: z.ZodError, entry: unknown): string {
  const [fault] = error.issues;
  if (fault === undefined) return 'it is not valid';
  const name = JSON.stringify(placeOf(fault.path));
  const value = valueAt(entry, fault.path);
  return value === undefined ? `${name} is missing` : `${name} has to be ${demand(fault)}, but is ${shown(value)}`;
}
