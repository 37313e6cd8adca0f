// JSON of logs: parsed behind the limits of logs, and looked into.
import { parseBounded, type Parsed } from '../../shared/boundedJson';
import { limits, type JsonObject } from './reader';

export const parseJson = (text: string): Parsed => parseBounded(text, limits);

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
