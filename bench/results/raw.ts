// The raw document of a run: every time that was taken, and where it came from. The table is computed from it alone.
import { z } from 'zod';

export const rawFormat = 'moire-bench';
export const rawVersion = 1;

const ms = z.array(z.number());
const rates = z.object({ read: ms, int16: ms, fp32: ms });

/** The machine's limits, one entry a round. `threads` as in the turns. */
const Limits = z.object({ threads: z.int(), rounds: z.array(rates) });

const Turn = z.object({
  round: z.int(),
  threads: z.int(),
  /** Processor time that other programs used during the turn, as a share of one core. */
  othersCores: z.number(),
  decode: ms,
  blocks: z.array(ms),
  prefill: ms,
});
export type Turn = z.infer<typeof Turn>;

const Memory = z.object({ resident: z.number(), anonymous: z.number().nullable(), file: z.number().nullable() });

const Arm = z.object({
  engine: z.enum(['moire', 'llama']),
  /** "q4_0" for one of llama.cpp. */
  format: z.string(),
  weightBytes: z.number(),
  turns: z.array(Turn),
  memory: z.object({ before: Memory, after: Memory }),
  /** Processor time over time of the process with a sequence open, at rest. */
  idle: z.object({ cpuMs: z.number(), ms: z.number() }),
});
export type Arm = z.infer<typeof Arm>;

const Profile = z.object({ figure: z.string(), calls: z.int(), ms: z.number(), engineMs: z.number(), ops: z.array(z.object({ op: z.string(), linear: z.boolean(), ms: z.number() })) });

const Capture = z.object({ mode: z.string(), plain: ms, captured: ms });

export const ModelRun = z.object({
  name: z.string(),
  describes: z.string(),
  multiplyAdds: z.object({ layers: z.number(), head: z.number() }),
  widths: z.array(z.int()),
  context: z.int(),
  prefill: z.int(),
  /** Bytes of the state after `context` tokens and one. */
  stateBytes: z.number(),
  arms: z.array(Arm),
  /** The logits of both engines for one prompt: relative distance (L2), and whether the best token is the same. Null: one engine alone. */
  agreement: z.object({ tokens: z.int(), relativeDistance: z.number(), sameBest: z.boolean() }).nullable(),
  profile: z.array(Profile),
  capture: z.array(Capture),
  bisect: z.object({ bisect: ms, forwards: ms, calls: z.int() }).nullable(),
});
export type ModelRun = z.infer<typeof ModelRun>;

export const Raw = z.object({
  format: z.literal(rawFormat),
  version: z.literal(rawVersion),
  date: z.string(),
  quick: z.boolean(),
  rounds: z.int(),
  /** Threads of the main columns: the physical cores. */
  threads: z.int(),
  machine: z.object({ cpu: z.string(), isa: z.string(), features: z.array(z.string()), cores: z.int(), memoryBytes: z.number(), system: z.string(), node: z.string() }),
  moire: z.object({ version: z.string(), git: z.string(), compiler: z.string(), switches: z.record(z.string(), z.union([z.string(), z.number()])) }),
  llama: z.object({ package: z.string(), version: z.string(), ggml: z.string(), commit: z.string(), variant: z.string(), system: z.string() }).nullable(),
  /** Why there is no llama.cpp; "" if there is. */
  llamaMissing: z.string(),
  limits: z.array(Limits),
  models: z.array(ModelRun),
  diff: z.object({ bytes: z.number(), ms }).nullable(),
});
export type Raw = z.infer<typeof Raw>;
