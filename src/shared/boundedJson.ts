// JSON that may be hostile: nothing is parsed before its depth, its containers and the names in an object were counted.

export interface JsonLimits {
  /** Lists and objects inside each other. Parsed values cross to other processes and to the engine, which take no more. */
  readonly depth: number;
  /** Lists and objects in all. */
  readonly containers: number;
  /** Of one object. */
  readonly names: number;
}

export type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

const quote = 34;
const backslash = 92;
const colon = 58;

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
function excess(text: string, limits: JsonLimits): string {
  /** Of the objects that are open. */
  const names = [0];
  let containers = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = endOfString(text, i);
      continue;
    }
    if (code === 91 || code === 123) {
      containers += 1;
      if (names.push(0) > limits.depth + 1) return `it is nested more than ${limits.depth} deep`;
      if (containers > limits.containers) return `it has more than ${limits.containers} lists and objects`;
    } else if (code === 93 || code === 125) names.pop();
    else if (code === colon) {
      const here = (names.pop() ?? 0) + 1;
      if (here > limits.names) return `an object of it has more than ${limits.names} names`;
      names.push(here);
    }
    i += 1;
  }
  return '';
}

export function parseBounded(text: string, limits: JsonLimits): Parsed {
  const reason = excess(text, limits);
  if (reason !== '') return { ok: false, reason };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
