// A small real engine in TypeScript: one gated-delta layer, one attention layer, fp32. Its switches change the order of sums and nothing else, so that the
// probes can be proven on divergences whose cause is known. No native code.
import { EngineError } from '../../../src/engine/engineError';
import type {
  Candidate, DiffPair, Drafter, Engine, EngineInfo, ForwardOptions, Ids, KernelUse, LayerState, Model, ModelInfo, Rewound, Session, Step, Switches, Tap, Tensor, TensorDiff,
} from '../../../src/engine/types';
import { add, attend, matvec, type Order, rmsNorm, weights } from './referenceMath';
import { diffValues, ReferenceTensor } from './referenceTensor';

const hidden = 16;
const vocab = 40;

/** Ways in which real engines misbehave. */
export interface Faults {
  /** Observing changes the order of sums, as a graph compiler does. */
  readonly tapsChangeOrder?: boolean;
  /** Every other decode sums in another order, as a race does. */
  readonly unrepeatable?: boolean;
  /** Ends with this error at the n-th forward. */
  readonly failAtForward?: { readonly n: number; readonly error: Error };
  readonly noTokenizer?: boolean;
  /** Without switches there is no second order. */
  readonly oneOrder?: boolean;
  readonly context?: number;
}

const taps: ModelInfo['taps'] = [
  { name: 'embedding', kinds: ['model'], describes: '' },
  { name: 'layer_input', kinds: ['attention', 'gated_delta'], describes: '' },
  { name: 'q_proj', kinds: ['attention'], describes: '' },
  { name: 'attention_core', kinds: ['attention'], describes: '' },
  { name: 'in_proj', kinds: ['gated_delta'], describes: '' },
  { name: 'delta_core', kinds: ['gated_delta'], describes: '' },
  { name: 'layer_output', kinds: ['attention', 'gated_delta'], describes: '' },
  { name: 'final_norm', kinds: ['model'], describes: '' },
  { name: 'logits', kinds: ['model'], describes: '' },
];

const choice = (name: string, values: string[], preset: string): ModelInfo['switches'][number] => ({ name, values, default: preset, description: '' });
const switches: ModelInfo['switches'] = [
  choice('matmul', ['auto', 'qmv', 'qmm', 'exact'], 'auto'),
  choice('attention', ['per_position', 'batched', 'exact'], 'per_position'),
  { name: 'threads', values: null, min: 1, max: 4, default: 2, description: '' },
];

const matrices = {
  embedding: weights(vocab, hidden, 1),
  inProj: weights(hidden, hidden, 2),
  outProj: weights(hidden, hidden, 3),
  q: weights(hidden, hidden, 4),
  k: weights(hidden, hidden, 5),
  v: weights(hidden, hidden, 6),
  o: weights(hidden, hidden, 7),
};

interface State {
  readonly recurrent: Float32Array;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}

interface Orders {
  readonly matmul: Order;
  readonly matmulName: string;
  readonly attention: Order;
  readonly attentionName: string;
}

type Row = ReadonlyMap<string, Float32Array>;

function forwardRow(state: State, id: number, orders: Orders): { state: State; row: Row } {
  const row = new Map<string, Float32Array>();
  const note = (name: string, value: Float32Array): Float32Array => {
    row.set(name, value);
    return value;
  };
  const x = note('-1 embedding', matrices.embedding[id] ?? new Float32Array(hidden));
  note('0 layer_input', x);
  const projected = note('0 in_proj', matvec(matrices.inProj, rmsNorm(x), orders.matmul));
  const recurrent = note('0 delta_core', state.recurrent.map((value, i) => Math.fround(Math.fround(value * 0.5) + (projected[i] ?? 0))));
  const middle = note('0 layer_output', add(x, matvec(matrices.outProj, rmsNorm(recurrent), orders.matmul)));
  note('1 layer_input', middle);
  const normed = rmsNorm(middle);
  const q = note('1 q_proj', matvec(matrices.q, normed, orders.matmul));
  const keys = [...state.keys, matvec(matrices.k, normed, orders.matmul)];
  const values = [...state.values, matvec(matrices.v, normed, orders.matmul)];
  const core = note('1 attention_core', attend(q, keys, values, orders.attention));
  const last = note('1 layer_output', add(middle, matvec(matrices.o, core, orders.matmul)));
  const final = note('2 final_norm', rmsNorm(last));
  note('2 logits', matvec(matrices.embedding, final, orders.matmul));
  return { state: { recurrent, keys, values }, row };
}

function ours(tensor: Tensor): ReferenceTensor {
  if (tensor instanceof ReferenceTensor) return tensor;
  throw new Error('a tensor of another engine');
}

function ranked(logits: Float32Array): Candidate[] {
  return [...logits].map((logit, id) => ({ id, logit })).sort((a, b) => b.logit - a.logit || a.id - b.id).slice(0, 2);
}

function stack(rows: readonly Row[], name: string): ReferenceTensor {
  const parts = rows.map((row) => row.get(name) ?? new Float32Array());
  const width = parts[0]?.length ?? 0;
  const all = new Float32Array(rows.length * width);
  parts.forEach((part, i) => all.set(part, i * width));
  return new ReferenceTensor([rows.length, width], all);
}

function kernelUses(orders: Orders, rows: number): KernelUse[] {
  const uses: [number, string, string][] = [[0, 'in_proj', orders.matmulName], [1, 'q_proj', orders.matmulName], [1, 'attention_core', orders.attentionName], [2, 'logits', orders.matmulName]];
  return uses.map(([layer, op, kernel]) => ({ layer, op, kernel, rows }));
}

class ReferenceSession implements Session {
  readonly batch = 1;
  readonly notes: readonly string[] = [];
  private closed = false;

  constructor(
    private readonly engine: ReferenceEngine,
    readonly switches: Switches,
    private state_: State,
  ) {
    engine.sessions += 1;
  }

  get position(): number[] {
    return [this.state_.keys.length];
  }

  prefill(ids: Ids, options: ForwardOptions = {}): Promise<Step> {
    return this.forward(ids as readonly number[], 'decode', options);
  }

  decode(ids: readonly number[], options: ForwardOptions = {}): Promise<Step> {
    return this.forward(ids, 'decode', options);
  }

  verify(ids: Ids, options: ForwardOptions = {}): Promise<Step> {
    return this.forward(ids as readonly number[], 'verify', options);
  }

  private orders(rows: number, path: 'decode' | 'verify', observed: boolean): Orders {
    const { faults } = this.engine;
    const matmul = this.switches['matmul'] === 'auto' ? (rows >= 8 && path === 'verify' ? 'qmm' : 'qmv') : String(this.switches['matmul']);
    const attention = path === 'decode' && this.switches['attention'] === 'batched' ? 'per_position' : String(this.switches['attention']);
    const swapped = (faults.tapsChangeOrder === true && observed) || (faults.unrepeatable === true && this.engine.forwards % 2 === 1);
    const sums = { qmv: 'forward', qmm: 'backward', exact: 'integer' } as const;
    const named = sums[matmul as keyof typeof sums];
    return {
      matmul: swapped ? 'backward' : named,
      matmulName: matmul,
      attention: ({ per_position: 'forward', batched: 'backward', exact: 'forward' } as const)[attention as 'exact'],
      attentionName: attention,
    };
  }

  private async forward(ids: readonly number[], path: 'decode' | 'verify', { taps: wanted = [], signal }: ForwardOptions): Promise<Step> {
    if (this.closed) throw new Error('used after close');
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) throw EngineError.cancelled();
    this.engine.forwards += 1;
    const { failAtForward: fail } = this.engine.faults;
    if (fail !== undefined && this.engine.forwards >= fail.n) throw fail.error;
    const orders = this.orders(ids.length, path, wanted.length > 0);
    const rows: Row[] = [];
    for (const id of ids) {
      const { state, row } = forwardRow(this.state_, id, orders);
      this.state_ = state;
      rows.push(row);
    }
    return this.step(rows, orders, wanted.length > 0);
  }

  private step(rows: readonly Row[], orders: Orders, observed: boolean): Step {
    const names = [...(rows[0]?.keys() ?? [])];
    const split = (name: string): { layer: number; tap: string } => ({ layer: Number(name.split(' ')[0]), tap: name.split(' ')[1] ?? '' });
    const tapped = observed ? names.map((name): Tap => ({ ...split(name), tensor: stack(rows, name) })) : [];
    const logits = stack(rows, '2 logits');
    return {
      rows: rows.length,
      batch: 1,
      position: this.position,
      logits,
      logitRows: rows.map((_, i) => i),
      top: rows.map((row) => ranked(row.get('2 logits') ?? new Float32Array())),
      taps: tapped,
      hashes: [],
      stats: [],
      kernels: kernelUses(orders, rows.length),
      times: [],
      threads: Number(this.switches['threads']),
      isa: 'reference',
      nonFinite: logits.values.filter((value) => !Number.isFinite(value)).length,
      ms: 0,
      close: () => [logits, ...tapped.map(({ tensor }) => tensor)].forEach((tensor) => tensor.close()),
    };
  }

  rewind(): Promise<Rewound> {
    return Promise.reject(new EngineError('E_UNSUPPORTED', '', 'the reference engine has no rewind'));
  }

  fork(): Promise<Session> {
    return Promise.resolve(new ReferenceSession(this.engine, this.switches, this.state_));
  }

  join(): Promise<Session> {
    return Promise.reject(new EngineError('E_UNSUPPORTED', '', 'the reference engine has no batches'));
  }

  state(): Promise<LayerState[]> {
    const { recurrent, keys, values } = this.state_;
    const flat = (rows: readonly Float32Array[]): Tensor => new ReferenceTensor([1, rows.length, hidden], Float32Array.from(rows.flatMap((row) => [...row])));
    return Promise.resolve([
      { layer: 0, kind: 'gated_delta', tensors: [{ name: 'recurrent_state', tensor: new ReferenceTensor([1, hidden], recurrent.slice()) }] },
      { layer: 1, kind: 'attention', tensors: [{ name: 'k', tensor: flat(keys) }, { name: 'v', tensor: flat(values) }] },
    ]);
  }

  close(): void {
    if (this.closed) throw new Error('closed twice');
    this.closed = true;
    this.engine.sessions -= 1;
  }
}

class ReferenceModel implements Model {
  constructor(
    private readonly engine: ReferenceEngine,
    readonly info: ModelInfo,
  ) {}

  tokenize(text: string): Promise<number[]> {
    return Promise.resolve(Array.from(text, (character) => (character.codePointAt(0) ?? 0) % vocab));
  }

  detokenize(): Promise<{ text: string; pieces: string[]; more: string[] }> {
    return Promise.resolve({ text: '', pieces: [], more: [] });
  }

  chat(): Promise<{ text: string; ids: number[] }> {
    return Promise.resolve({ text: '', ids: [] });
  }

  open(chosen: Switches = {}): Promise<Session> {
    const resolved = { ...Object.fromEntries(this.info.switches.map((one) => [one.name, one.default])), matmul: 'auto', attention: 'per_position', threads: 2, ...chosen };
    return Promise.resolve(new ReferenceSession(this.engine, resolved, { recurrent: new Float32Array(hidden), keys: [], values: [] }));
  }

  drafter(path: string): Promise<Drafter> {
    return Promise.reject(new EngineError('E_UNSUPPORTED', path, 'The reference engine has no drafters.'));
  }

  close(): void {
    this.engine.models -= 1;
  }
}

export class ReferenceEngine implements Engine {
  sessions = 0;
  models = 0;
  forwards = 0;
  loads = 0;

  constructor(readonly faults: Faults = {}) {}

  info(): EngineInfo {
    const cpu = { name: 'reference', features: [], used: [], cores: 1 };
    return { engine: 'reference', version: '1', abi: '1.0', library: '', libraryHash: 'none', git: '', compiler: '', target: '', cpu, kernels: ['forward', 'backward', 'integer'], architectures: ['reference'] };
  }

  private modelInfo(path: string): ModelInfo {
    const { noTokenizer = false, oneOrder = false, context = 512 } = this.faults;
    return {
      path, architecture: 'reference', modelType: 'reference', layers: [{ index: 0, kind: 'gated_delta' }, { index: 1, kind: 'attention' }], hidden, intermediate: hidden, vocab, context,
      heads: 1, kvHeads: 1, headDim: hidden, dtype: 'f32', quantisation: null, tied: true, parameters: 1, weightBytes: 1, fingerprint: 'reference', tokenizer: !noTokenizer, chatTemplate: false,
      eos: [], warnings: [], switches: oneOrder ? switches.slice(2) : switches, taps,
    };
  }

  inspect(path: string): Promise<{ model: ModelInfo; tensors: [] }> {
    return Promise.resolve({ model: this.modelInfo(path), tensors: [] });
  }

  load(path: string): Promise<Model> {
    if (path.includes('missing')) return Promise.reject(new EngineError('E_IO', path, 'This folder does not exist. Give the folder of a checkpoint.'));
    this.models += 1;
    this.loads += 1;
    return Promise.resolve(new ReferenceModel(this, this.modelInfo(path)));
  }

  tensors(path: string): Promise<{ metadata: Record<string, string>; tensors: { name: string; tensor: Tensor }[] }> {
    const make = (name: string, shape: number[], values: number[]): { name: string; tensor: Tensor } => ({ name, tensor: new ReferenceTensor(shape, Float32Array.from(values)) });
    const a = (): { name: string; tensor: Tensor }[] => [make('same', [2], [1, 2]), make('changed', [3], [1, 2, 3]), make('reshaped', [2, 1], [1, 2]), make('onlyA', [1], [1])];
    const b = (): { name: string; tensor: Tensor }[] => [make('reshaped', [1, 2], [1, 2]), make('same', [2], [1, 2]), make('changed', [3], [1, 2.5, 3]), make('onlyB', [1], [1])];
    if (path === 'empty') return Promise.resolve({ metadata: {}, tensors: [] });
    return Promise.resolve({ metadata: {}, tensors: path === 'a' ? a() : b() });
  }

  diff(pairs: readonly DiffPair[], { tile = 0, signal }: { tile?: number; signal?: AbortSignal | undefined } = {}): Promise<TensorDiff[]> {
    if (signal?.aborted === true) return Promise.reject(EngineError.cancelled());
    return Promise.resolve(pairs.map(({ a, b, aRows, bRows }) => diffValues(ours(a).rows(aRows), ours(b).rows(bRows), tile)));
  }

  selfTest(): Promise<{ passed: boolean; checks: { name: string; ok: boolean; detail: string }[] }> {
    return Promise.resolve({ passed: true, checks: [{ name: 'sum', ok: true, detail: '' }] });
  }

  close(): void {
    // Nothing outlives its closers.
  }
}
