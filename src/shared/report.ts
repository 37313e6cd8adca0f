// Report v1, the one result document of a probe (*.moire.json). Two runs of the same experiment on the same machine give the same bytes but for `run`.
// Large parts are columnar: arrays of equal length, one entry an item.
import { z } from 'zod';
import { Experiment } from './experiment';
import { servedKinds } from './experiments/served';
import { AnswersResult } from './results/answers';
import { GateResult } from './results/gate';
import { ParityResult } from './results/parity';
import { count, counts, Float, LayerKind, MapRow, Noise, StateDiff } from './results/parts';
import { PrefillResult } from './results/prefill';
import { ReplayResult } from './results/replay';
import { RewindResult } from './results/rewind';
import { SwitchesResult } from './results/switches';
import { SweepTimings, WidthsResult } from './results/widths';
import { ServerProfile } from './serverProfile';
import { Verdict } from './verdict';

export { Float, LayerKind, MapRow, StateDiff } from './results/parts';

export const reportFormat = 'moire.report';
export const reportVersion = 1;
export const reportExtension = '.moire.json';

/** Rows x positions, row-major: index = row * positions + position. Sums over the taps of the cell (bytes) or their maximum (ULP, relative L2). */
export const CellMatrix = z.object({
  positions: count,
  /** Bytes compared at one position of each row. */
  rowBytes: counts,
  differingBytes: counts,
  maxUlp: counts,
  relL2: z.array(Float),
});
export type CellMatrix = z.infer<typeof CellMatrix>;

/** Every tap that differs, in data order (row, tap, position). Columnar; taps that are not listed were compared and are equal. */
export const DifferingTaps = z.object({
  row: counts,
  tap: z.array(z.string()),
  position: counts,
  bytes: counts,
  differingBytes: counts,
  elements: counts,
  differingElements: counts,
  maxUlp: counts,
  maxAbs: z.array(Float),
  relL2: z.array(Float),
  firstIndex: counts,
  firstA: z.array(Float),
  firstB: z.array(Float),
  firstUlp: counts,
  /** Index into `tiles`, -1 when no tile was kept. */
  tile: z.array(z.int().min(-1)),
});
export type DifferingTaps = z.infer<typeof DifferingTaps>;

/** Elements around a first difference, hex of little-endian elements. */
export const Tile = z.object({ dtype: z.string(), shape: counts, start: count, a: z.string(), b: z.string() });
export type Tile = z.infer<typeof Tile>;

/** Logits per position. `margin`: best minus second-best logit. */
export const LogitRows = z.object({
  bytes: count,
  differingBytes: counts,
  maxUlp: counts,
  maxAbs: z.array(Float),
  relL2: z.array(Float),
  argmaxA: counts,
  argmaxB: counts,
  marginA: z.array(Float),
  marginB: z.array(Float),
});
export type LogitRows = z.infer<typeof LogitRows>;

/** Which kernel each arm ran for an op of a layer. */
export const KernelPair = z.object({ layer: z.int(), op: z.string(), a: z.string(), b: z.string() });
export type KernelPair = z.infer<typeof KernelPair>;

/** The first place, in the data's own order (row, op, position, element), where the arms part. */
export const FirstDivergence = z.object({
  row: count,
  layer: z.int(),
  tap: z.string(),
  position: count,
  element: count,
  a: Float,
  b: Float,
  aHex: z.string(),
  bHex: z.string(),
  ulp: count,
  kernelA: z.string(),
  kernelB: z.string(),
});
export type FirstDivergence = z.infer<typeof FirstDivergence>;

/** One block-against-chain comparison: a width on one draw, prompt or walk. */
export const BisectRun = z.object({
  label: z.string(),
  width: count,
  source: z.enum(['text', 'ids', 'draw', 'walk']),
  draw: z.int().min(-1),
  promptIds: counts,
  blockIds: counts,
  rows: z.array(MapRow),
  cells: CellMatrix,
  /** All tap names compared, per kind of row, in data order. */
  tapsCompared: z.record(z.string(), z.array(z.string())),
  differing: DifferingTaps,
  tiles: z.array(Tile),
  state: z.array(StateDiff),
  logits: LogitRows,
  first: FirstDivergence.nullable(),
  kernels: z.array(KernelPair),
  /** Logits of an uncaptured pass against the captured one, bytes that differ; 0 proves that observing changed nothing. */
  captureDifferingBytes: z.object({ a: count, b: count }),
  noise: Noise,
  nonFinite: z.object({ a: count, b: count }),
  /** What a size limit left out: differing taps that are counted in `cells` but not listed, and tiles that were not kept. Missing: nothing. */
  capped: z.object({ taps: count, tiles: count }).optional(),
  /** Tokens that were to be compared, where the run ended before the last of them: the state after the block was not compared then. Missing: all were. */
  planned: count.exactOptional(),
  verdict: Verdict,
});
export type BisectRun = z.infer<typeof BisectRun>;

export const BisectResult = z.object({ runs: z.array(BisectRun) });
export type BisectResult = z.infer<typeof BisectResult>;

export const DiffEntry = z.object({
  name: z.string(),
  in: z.enum(['both', 'a', 'b']),
  dtypeA: z.string(),
  dtypeB: z.string(),
  shapeA: counts,
  shapeB: counts,
  bytes: count,
  differingBytes: count,
  differingElements: count,
  maxUlp: count,
  maxAbs: Float,
  relL2: Float,
  firstIndex: z.int().min(-1),
  firstA: Float,
  firstB: Float,
});
export type DiffEntry = z.infer<typeof DiffEntry>;
export const DiffResult = z.object({ entries: z.array(DiffEntry) });
export type DiffResult = z.infer<typeof DiffResult>;

export const Provenance = z.object({
  extension: z.string(),
  engine: z.object({ name: z.string(), version: z.string(), abi: z.string(), git: z.string(), compiler: z.string(), target: z.string(), libraryHash: z.string() }),
  cpu: z.object({ name: z.string(), features: z.array(z.string()), used: z.array(z.string()), cores: count }),
  model: z
    .object({
      path: z.string(),
      architecture: z.string(),
      fingerprint: z.string(),
      dtype: z.string(),
      quantisation: z.string(),
      layers: z.array(LayerKind),
      hidden: count,
      vocab: count,
      context: count,
      warnings: z.array(z.string()),
    })
    .nullable(),
  /** Switches as resolved by the engine. */
  switchesA: z.record(z.string(), z.union([z.string(), z.number()])),
  switchesB: z.record(z.string(), z.union([z.string(), z.number()])),
  /** At most so many, as the switch says; `run.threads` of them computed. */
  threads: count,
  isa: z.string(),
  /** Kernel ids that really ran, sorted. */
  kernelsA: z.array(z.string()),
  kernelsB: z.array(z.string()),
  /** How synthetic ids were made, empty for real ones. */
  seeds: z.string(),
  /** Of a probe over servers: they, in the order of the arms. `engine`, `cpu` and `model` are those of this machine, where it computed as well. */
  servers: z.array(ServerProfile).exactOptional(),
});
export type Provenance = z.infer<typeof Provenance>;

/** What differs from run to run of one experiment: kept apart so that the rest can be compared byte by byte. */
export const RunFacts = z.object({
  startedAt: z.string(),
  durationMs: z.number(),
  location: z.enum(['process', 'extensionHost', 'cli']),
  /** Milliseconds per phase. */
  cost: z.record(z.string(), z.number()),
  /** Threads that computed: fewer than the switch says where the machine had other work. */
  threads: count.exactOptional(),
  /** Of a width sweep: what the clock said. */
  sweep: SweepTimings.exactOptional(),
});
export type RunFacts = z.infer<typeof RunFacts>;

const base = {
  format: z.literal(reportFormat),
  version: z.literal(reportVersion),
  /** false: the run was cancelled or failed; what is there is right, but not all. */
  complete: z.boolean(),
  /** Why it is not complete, else "". */
  incompleteReason: z.string(),
  verdict: Verdict,
  coverage: z.object({ compared: z.array(z.string()), notCovered: z.array(z.string()) }),
  provenance: Provenance,
  run: RunFacts,
};

export const Report = z.discriminatedUnion('kind', [
  z.object({ ...base, kind: z.literal('bisect'), experiment: Experiment, bisect: BisectResult }),
  z.object({ ...base, kind: z.literal('diff'), experiment: Experiment, diff: DiffResult }),
  z.object({ ...base, kind: z.literal('replay'), experiment: Experiment, replay: ReplayResult }),
  z.object({ ...base, kind: z.literal('rewind'), experiment: Experiment, rewind: RewindResult }),
  z.object({ ...base, kind: z.literal('prefill'), experiment: Experiment, prefill: PrefillResult }),
  z.object({ ...base, kind: z.literal('gate'), experiment: Experiment, gate: GateResult }),
  z.object({ ...base, kind: z.literal('parity'), experiment: Experiment, parity: ParityResult }),
  z.object({ ...base, kind: z.literal('widths'), experiment: Experiment, widths: WidthsResult }),
  z.object({ ...base, kind: z.literal('switches'), experiment: Experiment, switches: SwitchesResult }),
  z.object({ ...base, kind: z.enum(servedKinds), experiment: Experiment, answers: AnswersResult }),
]);
export type Report = z.infer<typeof Report>;
export type BisectReport = Extract<Report, { kind: 'bisect' }>;
/** Of any probe over servers. */
export type AnswersReport = Extract<Report, { answers: AnswersResult }>;
export type DiffReport = Extract<Report, { kind: 'diff' }>;
/** The member whose kinds `K` is one of. */
export type ReportOf<K extends Report['kind'], R extends Report = Report> = R extends unknown ? (K extends R['kind'] ? R : never) : never;
