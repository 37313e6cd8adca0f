// The result documents of moire.h. A library of somebody else may send anything, so each is checked.
import { z } from 'zod';
import { LayerKind } from '../../shared/report';

const count = z.int().min(0);
const counts = z.array(count);
const float = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]);
const dtype = z.enum(['f32', 'f16', 'bf16', 'f64', 'u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'u64', 'i64', 'bool']);

const top = z.array(z.array(z.object({ id: count, logit: float })));
const quantisation = z.object({ bits: count, group: count, mixed: z.boolean() }).nullable();

export const TensorRef = z.object({ handle: z.int().min(1), dtype, shape: counts });
export type TensorRef = z.infer<typeof TensorRef>;

const NamedRef = TensorRef.extend({ name: z.string() });

const SwitchInfo = z.object({
  name: z.string(),
  values: z.array(z.string()).nullable(),
  min: z.number().exactOptional(),
  max: z.number().exactOptional(),
  default: z.union([z.string(), z.number()]),
  description: z.string(),
});

const ModelInfo = z.object({
  path: z.string(),
  architecture: z.string(),
  modelType: z.string(),
  layers: z.array(z.object({ index: count, kind: LayerKind })),
  hidden: count,
  intermediate: count,
  vocab: count,
  context: count,
  heads: count,
  kvHeads: count,
  headDim: count,
  dtype,
  quantisation,
  tied: z.boolean(),
  parameters: count,
  weightBytes: count,
  fingerprint: z.string(),
  tokenizer: z.boolean(),
  chatTemplate: z.boolean(),
  eos: counts,
  warnings: z.array(z.string()),
  switches: z.array(SwitchInfo),
  taps: z.array(z.object({ name: z.string(), kinds: z.array(z.union([LayerKind, z.literal('model')])), describes: z.string() })),
});

export const Inspected = z.object({
  model: ModelInfo,
  tensors: z.array(z.object({ name: z.string(), file: z.string(), dtype: z.string(), shape: counts, bytes: count })),
});
export const Loaded = z.object({ handle: count, model: ModelInfo });
export const Opened = z.object({ handle: count, switches: z.record(z.string(), z.union([z.string(), z.number()])), threads: count, batch: count, notes: z.array(z.string()) });
export const Forked = z.object({ handle: count, position: counts });

const DrafterInfo = z.object({
  path: z.string(),
  family: z.enum(['dflash', 'mtp']),
  layers: z.array(z.object({ index: count, kind: z.enum(['full', 'sliding']) })),
  hidden: count,
  vocab: count,
  blockSize: count.nullable(),
  maskId: count.nullable(),
  taps: z.array(z.string()),
  slidingWindow: count.nullable(),
  dtype,
  quantisation,
  parameters: count,
  weightBytes: count,
  fingerprint: z.string(),
  warnings: z.array(z.string()),
  switches: z.array(SwitchInfo),
});
export const LoadedDrafter = z.object({ handle: count, drafter: DrafterInfo });
export const Observed = z.object({ position: counts, ms: z.number() });
export const Proposed = z.object({ ids: z.array(counts), logits: TensorRef.nullable(), top, ms: z.number() });

const StepFacts = z.object({
  rows: count,
  batch: count,
  position: counts,
  logits: TensorRef.nullable(),
  logitRows: counts,
  top,
  kernels: z.array(z.object({ layer: z.int(), op: z.string(), kernel: z.string(), rows: count })),
  times: z.array(z.object({ op: z.string(), ms: z.number() })),
  threads: count,
  isa: z.string(),
  nonFinite: count,
  ms: z.number(),
});
export type StepFacts = z.infer<typeof StepFacts>;
const TapPlace = z.object({ layer: z.int(), tap: z.string(), dtype, shape: counts });
const TapRef = TensorRef.extend({ layer: z.int(), tap: z.string() });
const hash = z.string().regex(/^[0-9a-f]{32}$/);
const TapHash = TapPlace.extend({ hash, rowHashes: z.array(hash) });
const TapStats = TapPlace.extend({ stats: z.object({ count, nonFinite: count, min: float, max: float, mean: float, rms: float, absMax: float }) });

/** A forward, by what of its taps is kept. */
export const StepResult = StepFacts.extend({ taps: z.array(TapRef) });
export const HashedStep = StepFacts.extend({ taps: z.array(TapHash) });
export const MeasuredStep = StepFacts.extend({ taps: z.array(TapStats) });

export const RewoundResult = z.object({
  asked: counts,
  dropped: counts,
  position: counts,
  layers: z.array(z.object({ layer: count, how: z.enum(['truncate', 'recompute', 'none']) })),
});

export const StateResult = z.object({
  position: counts,
  layers: z.array(z.object({ layer: count, kind: LayerKind, tensors: z.array(NamedRef) })),
});

const Diff = z.object({
  equal: z.boolean(),
  bytes: count,
  differingBytes: count,
  elements: count,
  differingElements: count,
  first: z.object({ index: count, a: float, b: float, aHex: z.string(), bHex: z.string(), ulp: count }).nullable(),
  maxUlp: count,
  maxAbs: float,
  rms: float,
  relL2: float,
  nonFinite: z.object({ a: count, b: count }),
  tile: z.object({ start: count, a: z.string(), b: z.string() }).nullable(),
  rows: z.object({ differingElements: counts, maxUlp: counts }).exactOptional(),
});
/** Of a brief diff: the pairs that have something to tell. */
export const BriefDiffs = z.object({ pairs: z.array(Diff.extend({ index: count })) });

export const TensorFile = z.object({
  metadata: z.record(z.string(), z.string()),
  tensors: z.array(NamedRef.extend({ stored: z.object({ dtype: z.string(), shape: counts }).exactOptional() })),
});
export const Tokens = z.object({ ids: counts });
export const Text = z.object({ text: z.string(), pieces: z.array(z.string()), more: z.array(z.string()) });
export const ChatText = z.object({ text: z.string(), ids: counts });
export const SelfTested = z.object({ passed: z.boolean(), checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })) });

export const Measured = z.object({ threads: count, isa: z.string(), perSecond: z.array(z.number().positive()) });
export type Measured = z.infer<typeof Measured>;

export const BuildInfo = z.object({
  engine: z.string(),
  version: z.string(),
  git: z.string(),
  compiler: z.string(),
  target: z.string(),
  os: z.string(),
  cpu: z.object({ name: z.string(), features: z.array(z.string()), used: z.array(z.string()), cores: count }),
  kernels: z.array(z.string()),
  schema: z.object({ min: count, max: count }),
  architectures: z.array(z.string()),
});
export type BuildInfo = z.infer<typeof BuildInfo>;
