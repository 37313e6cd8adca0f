// JSON that may be hostile: nothing is parsed before its depth and its number of containers were counted.
import { limits, type JsonObject } from './reader';

export type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

const quote = 34;
const backslash = 92;

/** The index behind the string that opens at `from`. */
function endOfString(text: string, from: number): number {
  let i = from + 1;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === quote) return i + 1;
    i += code === backslash ? 2 : 1;
  }
  return i;
}

/** Why the text is not parsed at all, "" where it can be. */
function excess(text: string): string {
  let depth = 0;
  let containers = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = endOfString(text, i);
      continue;
    }
    if (code === 91 || code === 123) {
      depth += 1;
      containers += 1;
      if (depth > limits.depth) return `it is nested more than ${limits.depth} deep`;
      if (containers > limits.containers) return `it has more than ${limits.containers} lists and objects`;
    } else if (code === 93 || code === 125) depth -= 1;
    i += 1;
  }
  return '';
}

export function parseJson(text: string): Parsed {
  const reason = excess(text);
  if (reason !== '') return { ok: false, reason };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return isObject(value) ? value : null;
}

export function listAt(object: JsonObject, key: string): readonly unknown[] | null {
  const value = object[key];
  return Array.isArray(value) ? value : null;
}

export function textAt(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' ? value : null;
}

/** Every object of a document, outermost first, with the key it stands under; `visit` says whether to look inside. The depth is bounded by parseJson. */
export function walkObjects(value: unknown, visit: (object: JsonObject, key: string) => boolean, key = ''): void {
  if (Array.isArray(value)) for (const item of value) walkObjects(item, visit, key);
  else if (isObject(value) && visit(value, key)) for (const [name, field] of Object.entries(value)) walkObjects(field, visit, name);
}
