// What a probe sees of an engine. Probes speak only these interfaces, so that every engine gets every probe.
// Shapes are row-major; the rows of a batch stand one after another: row index = batch row * W + position in the block.
import type { LayerKind } from '../shared/report';

export type Dtype = 'f32' | 'f16' | 'bf16' | 'f64' | 'u8' | 'i8' | 'u16' | 'i16' | 'u32' | 'i32' | 'u64' | 'i64' | 'bool';
export type SwitchValue = string | number;
export type Switches = Readonly<Record<string, SwitchValue>>;

export interface SwitchInfo {
  readonly name: string;
  /** The named choices, or null for a whole number between min and max. */
  readonly values: readonly string[] | null;
  readonly min?: number;
  readonly max?: number;
  readonly default: SwitchValue;
  readonly description: string;
}

/** A tap in the order in which a forward makes them; `kinds` says in which layers it exists ("model": outside the layers). */
export interface TapInfo {
  readonly name: string;
  readonly kinds: readonly (LayerKind | 'model')[];
  readonly describes: string;
}

export interface ModelInfo {
  readonly path: string;
  readonly architecture: string;
  readonly modelType: string;
  readonly layers: readonly { readonly index: number; readonly kind: LayerKind }[];
  readonly hidden: number;
  readonly intermediate: number;
  readonly vocab: number;
  /** Positions the checkpoint was made for. */
  readonly context: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly dtype: Dtype;
  readonly quantisation: { readonly bits: number; readonly group: number; readonly mixed: boolean } | null;
  readonly tied: boolean;
  readonly parameters: number;
  readonly weightBytes: number;
  readonly fingerprint: string;
  readonly tokenizer: boolean;
  readonly chatTemplate: boolean;
  readonly eos: readonly number[];
  readonly warnings: readonly string[];
  readonly switches: readonly SwitchInfo[];
  readonly taps: readonly TapInfo[];
}

export interface TensorEntry {
  readonly name: string;
  readonly file: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: number;
}

/** Where an engine came from; goes into the provenance of a report. */
export interface EngineInfo {
  readonly engine: string;
  readonly version: string;
  readonly abi: string;
  readonly library: string;
  /** sha256 of the library file. */
  readonly libraryHash: string;
  readonly git: string;
  readonly compiler: string;
  readonly target: string;
  readonly cpu: { readonly name: string; readonly features: readonly string[]; readonly used: readonly string[]; readonly cores: number };
  readonly kernels: readonly string[];
  readonly architectures: readonly string[];
}

export interface Progress {
  readonly stage: string;
  readonly done: number;
  /** 0: unknown. */
  readonly total: number;
}

export interface Call {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A NaN or infinity travels as its name. */
export type Float = number | 'NaN' | 'Infinity' | '-Infinity';

export interface TensorDiff {
  readonly equal: boolean;
  readonly bytes: number;
  readonly differingBytes: number;
  readonly elements: number;
  readonly differingElements: number;
  /** Element index within the compared range, both values, both as hex of the little-endian bytes. */
  readonly first: { readonly index: number; readonly a: Float; readonly b: Float; readonly aHex: string; readonly bHex: string; readonly ulp: number } | null;
  readonly maxUlp: number;
  readonly maxAbs: Float;
  readonly rms: Float;
  readonly relL2: Float;
  readonly nonFinite: { readonly a: number; readonly b: number };
  /** Elements [start, start + n) of both sides as hex, around the first difference. */
  readonly tile: { readonly start: number; readonly a: string; readonly b: string } | null;
  /** Counts of every compared row, if they were asked for. */
  readonly rows?: { readonly differingElements: readonly number[]; readonly maxUlp: readonly number[] };
}

/** A tensor that stays where it was made. Free it with close(). */
export interface Tensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly nbytes: number;
  read(offset?: number, length?: number): Promise<Uint8Array>;
  close(): void;
}

/** A tensor of a file. */
export interface FileTensor {
  readonly name: string;
  readonly tensor: Tensor;
  /** Element type and shape by the file, where the engine has no numbers for the type: `tensor` then holds its bytes as integers. */
  readonly stored?: { readonly dtype: string; readonly shape: readonly number[] };
}

/** Rows [from, to) along the first dimension; whole tensors when left out. */
export interface DiffPair {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly aRows?: readonly [number, number] | undefined;
  readonly bRows?: readonly [number, number] | undefined;
}

export interface Tap {
  /** -1 before the first layer, the number of layers after the last. */
  readonly layer: number;
  readonly tap: string;
  readonly tensor: Tensor;
}

/** What of a tap is kept: all of it, a hash of its bytes and of each row's, or facts about its values. */
export type CaptureMode = 'bytes' | 'hash' | 'stats';

export interface TapPlace {
  readonly layer: number;
  readonly tap: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
}

export interface TapHash extends TapPlace {
  /** The first 16 bytes, as hex, of BLAKE3 over the little-endian bytes. */
  readonly hash: string;
  readonly rowHashes: readonly string[];
}

/** Of the finite elements; NaN where there is none. */
export interface TapStats extends TapPlace {
  readonly stats: {
    readonly count: number;
    readonly nonFinite: number;
    readonly min: Float;
    readonly max: Float;
    readonly mean: Float;
    readonly rms: Float;
    readonly absMax: Float;
  };
}

export interface KernelUse {
  readonly layer: number;
  readonly op: string;
  readonly kernel: string;
  readonly rows: number;
}

export interface Candidate {
  readonly id: number;
  readonly logit: Float;
}

/** What one forward gave. close() frees its tensors. */
export interface Step {
  readonly rows: number;
  readonly batch: number;
  readonly position: readonly number[];
  readonly logits: Tensor | null;
  /** Row index of each row of `logits`. */
  readonly logitRows: readonly number[];
  /** Per logits row the best candidates, best first, lowest id first among equals. */
  readonly top: readonly (readonly Candidate[])[];
  /** In data order; filled where the capture keeps bytes. */
  readonly taps: readonly Tap[];
  /** The same where it keeps hashes. */
  readonly hashes: readonly TapHash[];
  /** The same where it keeps facts. */
  readonly stats: readonly TapStats[];
  readonly kernels: readonly KernelUse[];
  /** Milliseconds of each op in all layers together, by the name of its tap; "taps" is the keeping of taps. */
  readonly times: readonly { readonly op: string; readonly ms: number }[];
  readonly threads: number;
  readonly isa: string;
  readonly nonFinite: number;
  /** Milliseconds in the engine. */
  readonly ms: number;
  close(): void;
}

export interface ForwardOptions extends Call {
  /** Patterns: "tap", "layer.tap", "*". Default: none. */
  readonly taps?: readonly string[] | undefined;
  /** Default: "bytes". */
  readonly capture?: CaptureMode | undefined;
  /** Default: "last" for prefill, "all" for verify. */
  readonly logits?: 'last' | 'all' | 'none' | undefined;
  /** How many candidates per logits row, default 2. */
  readonly top?: number | undefined;
}

export interface StateTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

export interface LayerState {
  readonly layer: number;
  readonly kind: LayerKind;
  readonly tensors: readonly StateTensor[];
}

export interface Rewound {
  readonly asked: readonly number[];
  readonly dropped: readonly number[];
  readonly position: readonly number[];
  readonly layers: readonly { readonly layer: number; readonly how: 'truncate' | 'recompute' | 'none' }[];
}

/** Token ids of one row, or one list a batch row. */
export type Ids = readonly number[] | readonly (readonly number[])[];

export interface Session {
  /** All switches, resolved. */
  readonly switches: Switches;
  /** What the engine did otherwise than asked, one sentence each. */
  readonly notes: readonly string[];
  readonly batch: number;
  /** Positions in the state, per batch row. */
  readonly position: readonly number[];
  prefill(ids: Ids, options?: ForwardOptions): Promise<Step>;
  /** One token per batch row. */
  decode(ids: readonly number[], options?: ForwardOptions): Promise<Step>;
  verify(ids: Ids, options?: ForwardOptions): Promise<Step>;
  /** Keep the first n rows of the last verify, n from 1 to W, per batch row. */
  rewind(keptRows: readonly number[], call?: Call): Promise<Rewound>;
  /** An independent copy, or with `rows` these batch rows in this order as a session of its own, which has nothing to rewind. */
  fork(options?: { rows?: readonly number[] } & Call): Promise<Session>;
  /**
   * A new session, whose batch rows are independent copies of this session's and then of the others', in order. It has nothing to rewind; all of them stay as they are.
   * They are sessions of one loaded model with the same resolved switches.
   */
  join(others: readonly Session[], call?: Call): Promise<Session>;
  state(layer?: number, call?: Call): Promise<LayerState[]>;
  close(): void;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/** A small network that proposes tokens for a target. */
export interface DrafterInfo {
  readonly path: string;
  readonly family: 'dflash' | 'mtp';
  readonly layers: readonly { readonly index: number; readonly kind: 'full' | 'sliding' }[];
  readonly hidden: number;
  readonly vocab: number;
  /** Rows of a verification pass that the checkpoint declares, null when it does not say. */
  readonly blockSize: number | null;
  /** Fills the rows after the anchor, null for a drafter that goes token by token. */
  readonly maskId: number | null;
  /** Taps of the target that it reads, in the order in which `observe` takes them: "1.layer_output", "8.final_norm". */
  readonly taps: readonly string[];
  /** Positions that a sliding layer sees, null without one. */
  readonly slidingWindow: number | null;
  readonly dtype: Dtype;
  readonly quantisation: ModelInfo['quantisation'];
  readonly parameters: number;
  readonly weightBytes: number;
  readonly fingerprint: string;
  readonly warnings: readonly string[];
  readonly switches: readonly SwitchInfo[];
}

/** What the target made of committed tokens. The rows of a batch stand one after another, as in the Step that the taps are from. */
export interface Observation {
  /** One tensor a tap of DrafterInfo.taps, in that order. */
  readonly features: readonly Tensor[];
  /** Per batch row the rows [from, to) of the features that were committed; equal for none. */
  readonly rows: readonly (readonly [number, number])[];
  /** Per batch row the token after each of these rows. The last one is what the next proposal begins from. */
  readonly next: readonly (readonly number[])[];
}

export interface Proposal {
  /** width - 1 ids per batch row. */
  readonly ids: readonly (readonly number[])[];
  /** Their logits [batch * (width - 1), vocab] if asked for; rows of a batch one after another. */
  readonly logits: Tensor | null;
  /** Per logits row the best candidates, best first, lowest id first among equals. */
  readonly top: readonly (readonly Candidate[])[];
  readonly ms: number;
  close(): void;
}

/** The drafter's own state beside a session of the target. */
export interface DraftSession {
  readonly switches: Switches;
  readonly batch: number;
  /** Committed rows it has seen, per batch row. */
  readonly position: readonly number[];
  observe(observation: Observation, call?: Call): Promise<void>;
  /**
   * Proposes width - 1 greedy tokens after the last observed one. With `after` (a drafter that goes token by token) it goes on from these tokens,
   * one per batch row, as if it had proposed them last.
   */
  propose(width: number, options?: { logits?: boolean; top?: number; after?: readonly number[] } & Call): Promise<Proposal>;
  /** An independent copy, or with `rows` one of these batch rows in this order. */
  fork(options?: { rows?: readonly number[] } & Call): Promise<DraftSession>;
  /** As Session.join, for drafts of one drafter. Rows may have seen any number of committed rows. What was drafted token by token is not in it: it goes on after the last observed tokens. */
  join(others: readonly DraftSession[], call?: Call): Promise<DraftSession>;
  close(): void;
}

export interface Drafter {
  readonly info: DrafterInfo;
  open(switches?: Switches, options?: { batch?: number } & Call): Promise<DraftSession>;
  close(): void;
}

export interface Model {
  readonly info: ModelInfo;
  tokenize(text: string, options?: { special?: boolean } & Call): Promise<number[]>;
  /** `pieces`: each id by itself, a part of a character as U+FFFD. `more`: texts of further lists. */
  detokenize(ids: readonly number[], options?: { skipSpecial?: boolean; more?: readonly (readonly number[])[] } & Call): Promise<{ text: string; pieces: string[]; more: string[] }>;
  chat(messages: readonly ChatMessage[], options?: { addGenerationPrompt?: boolean; variables?: Readonly<Record<string, unknown>> } & Call): Promise<{ text: string; ids: number[] }>;
  open(switches?: Switches, options?: { batch?: number } & Call): Promise<Session>;
  /** A drafter for this model, from its folder; the model's own folder stands for the MTP head in it. */
  drafter(path: string, call?: Call): Promise<Drafter>;
  close(): void;
}

export interface Engine {
  info(): EngineInfo;
  inspect(path: string, call?: Call): Promise<{ model: ModelInfo; tensors: TensorEntry[] }>;
  load(path: string, options?: { scan?: boolean } & Call): Promise<Model>;
  /** All tensors of one .safetensors file. */
  tensors(path: string, call?: Call): Promise<{ metadata: Readonly<Record<string, string>>; tensors: FileTensor[] }>;
  /** Compare in native code, all pairs in one job. `tile`: elements around the first difference, 0 for none; `rows`: counts of every row as well. */
  diff(pairs: readonly DiffPair[], options?: { tile?: number; rows?: boolean } & Call): Promise<TensorDiff[]>;
  selfTest(what: 'kernels' | 'panic' | 'spin', options?: { ms?: number } & Call): Promise<{ passed: boolean; checks: { name: string; ok: boolean; detail: string }[] }>;
  close(): void;
}
