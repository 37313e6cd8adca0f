// Experiments over servers as they are when the user says nothing but the server.
import type { ServedExperiment, ServedKind, ServedName } from './experiment';

/** Beginnings of code of several kinds and lengths, long enough that a prefix cache which works in blocks has some. */
export const servedPrompts: readonly string[] = [
  '// Returns the items whose key is in the set, in their order.\nexport function selectByKey<T>(items: readonly T[], keyOf: (item: T) => string, keys: ReadonlySet<string>): T[] {\n  const selected: T[] = [];\n  for (const item of items) {\n    if (keys.has(keyOf(item))) selected.push(item);\n  }\n  return selected;\n}\n\n// Gathers items under their key.\nexport function groupByKey',
  "import { readFile } from 'node:fs/promises';\n\n// Reads a file of settings, one name and value a line. Lines that begin with # are comments.\nexport async function readSettings(file: string): Promise<Map<string, string>> {\n  const settings = new Map<string, string>();\n  for (const line of (await readFile(file, 'utf8')).split('\\n')) {\n",
  'class Queue {\n  constructor(limit) {\n    this.limit = limit;\n    this.items = [];\n  }\n\n  push(item) {\n    if (this.items.length >= this.limit) {\n      throw new Error("the queue is full");\n    }\n    this.items.push(item);\n  }\n\n  shift() {\n',
  'def median(values):\n    """The middle of the sorted values, or the mean of the two in the middle."""\n    ordered = sorted(values)\n    middle = len(ordered) // 2\n    if len(ordered) % 2 == 1:\n        return ordered[middle]\n    return',
  'function parseVersion(text) {\n  const parts = text.split(".");\n  if (parts.length !== 3) {\n    return null;\n  }\n  const numbers = parts.map(Number);\n',
  'const clamp = (value, low, high) => Math.min(Math.max(value, low), high);\n\n// Mixes two colours, each a list of red, green and blue from 0 to 255.\nconst mix = (a, b, share) =>',
  'describe("the parser", () => {\n  it("takes an empty document", () => {\n    expect(parse("")).toEqual([]);\n  });\n\n  it("keeps the order of the entries", () => {\n',
  '// The greatest common divisor of two whole numbers.\nexport function gcd(a: number, b: number): number {\n  while (b !== 0) {\n',
];

export const servedPreset = { tokens: 64, times: 4, together: 8, temperature: 0, seed: 7, endpoint: 'completions' } as const;

type Presets = { readonly [K in ServedKind]: (server: ServedName) => Extract<ServedExperiment, { kind: K }> };

const { tokens, endpoint, times, together, temperature, seed } = servedPreset;
const some = (server: ServedName, prompts: number) => ({ server, endpoint, prompts: servedPrompts.slice(0, prompts), tokens });

export const servedPresets: Presets = {
  repeat: (server) => ({ kind: 'repeat', ...some(server, 2), times, temperature, seed }),
  cache: (server) => ({ kind: 'cache', ...some(server, 3) }),
  concurrency: (server) => ({ kind: 'concurrency', ...some(server, servedPrompts.length), together }),
  servers: (server) => ({ kind: 'servers', ...some(server, 4), other: { type: 'server', ...server } }),
  rescore: (server) => ({ kind: 'rescore', server, prompts: servedPrompts.slice(0, 2), tokens }),
};
