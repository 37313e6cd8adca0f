// JSON that may be hostile: nothing is parsed before its depth and its number of containers were counted.

export interface JsonLimits {
  /** Lists and objects inside each other. Parsed values cross to other processes and to the engine, which take no more. */
  readonly depth: number;
  /** Lists and objects in all. */
  readonly containers: number;
}

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
function excess(text: string, limits: JsonLimits): string {
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

export function parseBounded(text: string, limits: JsonLimits): Parsed {
  const reason = excess(text, limits);
  if (reason !== '') return { ok: false, reason };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
