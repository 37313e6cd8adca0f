// Numbers of a report that may be NaN or infinite by name.
import type { Float } from '../types';

/** Measures are kept to six significant digits: enough to compare, short in a file. */
export function round(value: Float): Float {
  return typeof value === 'string' ? value : Number(value.toPrecision(6));
}

function weight(value: Float): number {
  if (value === 'NaN') return Infinity;
  return Number(value);
}

/** The larger of two measures; NaN counts as the largest. */
export function larger(a: Float, b: Float): Float {
  return weight(b) > weight(a) || b === 'NaN' ? b : a;
}

/** a - b, 'NaN' when a side is not finite. */
export function difference(a: Float, b: Float): Float {
  return typeof a === 'string' || typeof b === 'string' ? 'NaN' : a - b;
}

/** Whether a measure lies within a limit; never for NaN. */
export function within(value: Float, limit: Float): boolean {
  if (value === 'NaN' || limit === 'NaN') return false;
  return Number(value) <= Number(limit);
}

/** 32-bit FNV-1a of a text: numbers that look random and are the same in every run. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
