// A session of the native engine.
import type { Call, CaptureMode, ForwardOptions, Ids, LayerState, Rewound, Session, Step, Switches } from '../types';
import { runJob, type Request } from './jobs';
import type { NativeLibrary } from './library';
import { HandleGroup, NativeHandle, ownHandle } from './nativeHandle';
import { NativeTensor } from './nativeTensor';
import { Forked, HashedStep, MeasuredStep, RewoundResult, StateResult, StepResult, type StepFacts } from './results';

export class NativeSession extends NativeHandle implements Session {
  readonly batch: number;

  constructor(
    library: NativeLibrary,
    handle: number,
    readonly switches: Switches,
    readonly notes: readonly string[],
    private positions: readonly number[],
  ) {
    super(library, handle);
    this.batch = positions.length;
  }

  get position(): readonly number[] {
    return this.positions;
  }

  prefill(ids: Ids, options?: ForwardOptions): Promise<Step> {
    return this.forward('prefill', ids, options);
  }

  decode(ids: readonly number[], options?: ForwardOptions): Promise<Step> {
    return this.forward('decode', ids, options);
  }

  verify(ids: Ids, options?: ForwardOptions): Promise<Step> {
    return this.forward('verify', ids, options);
  }

  async rewind(keptRows: readonly number[], call?: Call): Promise<Rewound> {
    const rewound = await runJob(this.library, this.handle, { kind: 'rewind', keptRows }, RewoundResult, call);
    this.positions = rewound.position;
    return rewound;
  }

  fork({ rows, ...call }: { rows?: readonly number[] } & Call = {}): Promise<NativeSession> {
    return this.copied({ kind: 'fork', rows }, call);
  }

  async join(others: readonly Session[], call?: Call): Promise<NativeSession> {
    const sessions = others.map((other, i) => ownHandle(this.library, other, NativeSession, `/sessions/${i}`, 'A session of another engine cannot be joined. Open it on the same model.'));
    return this.copied({ kind: 'join', sessions }, call);
  }

  private async copied(request: Request, call: Call | undefined): Promise<NativeSession> {
    const { handle, position } = await runJob(this.library, this.handle, request, Forked, call);
    return new NativeSession(this.library, handle, this.switches, this.notes, position);
  }

  async state(layer?: number, call?: Call): Promise<LayerState[]> {
    const { layers } = await runJob(this.library, this.handle, { kind: 'state', layer }, StateResult, call);
    return layers.map((one) => ({
      ...one,
      tensors: one.tensors.map((ref) => ({ name: ref.name, tensor: new NativeTensor(this.library, ref) })),
    }));
  }

  private async forward(kind: 'prefill' | 'decode' | 'verify', ids: Ids, { taps, capture = 'bytes', logits, top, ...call }: ForwardOptions = {}): Promise<Step> {
    const step = await this.step({ kind, ids, taps, capture, logits, top }, capture, call);
    this.positions = step.position;
    return step;
  }

  private async step(request: Request, capture: CaptureMode, call: Call): Promise<Step> {
    const { library, handle } = this;
    if (capture === 'hash') {
      const { taps, ...facts } = await runJob(library, handle, request, HashedStep, call);
      return toStep(library, facts, { hashes: taps });
    }
    if (capture === 'stats') {
      const { taps, ...facts } = await runJob(library, handle, request, MeasuredStep, call);
      return toStep(library, facts, { stats: taps });
    }
    const { taps, ...facts } = await runJob(library, handle, request, StepResult, call);
    const group = new HandleGroup(library, taps.map((ref) => ref.handle));
    return toStep(library, facts, { taps: taps.map((ref) => ({ layer: ref.layer, tap: ref.tap, tensor: new NativeTensor(library, ref, group) })) }, group);
  }
}

function toStep(library: NativeLibrary, facts: StepFacts, { taps = [], hashes = [], stats = [] }: Partial<Pick<Step, 'taps' | 'hashes' | 'stats'>>, group?: HandleGroup): Step {
  const logits = facts.logits && new NativeTensor(library, facts.logits);
  const close = (): void => {
    logits?.close();
    group?.freeAll();
  };
  return { ...facts, logits, taps, hashes, stats, close };
}
