// A session of the native engine.
import type { Call, ForwardOptions, Ids, LayerState, Rewound, Session, Step, Switches } from '../types';
import { runJob } from './jobs';
import type { NativeLibrary } from './library';
import { NativeHandle } from './nativeHandle';
import { NativeTensor } from './nativeTensor';
import { Forked, RewoundResult, StateResult, StepResult } from './results';

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

  async fork(call?: Call): Promise<NativeSession> {
    const { handle, position } = await runJob(this.library, this.handle, { kind: 'fork' }, Forked, call);
    return new NativeSession(this.library, handle, this.switches, this.notes, position);
  }

  async state(layer?: number, call?: Call): Promise<LayerState[]> {
    const { layers } = await runJob(this.library, this.handle, { kind: 'state', layer }, StateResult, call);
    return layers.map((one) => ({
      ...one,
      tensors: one.tensors.map((ref) => ({ name: ref.name, tensor: new NativeTensor(this.library, ref) })),
    }));
  }

  private async forward(kind: 'prefill' | 'decode' | 'verify', ids: Ids, { taps, logits, top, ...call }: ForwardOptions = {}): Promise<Step> {
    const result = await runJob(this.library, this.handle, { kind, ids, taps, logits, top }, StepResult, call);
    this.positions = result.position;
    return toStep(this.library, result);
  }
}

function toStep(library: NativeLibrary, result: StepResult): Step {
  const logits = result.logits && new NativeTensor(library, result.logits);
  const taps = result.taps.map((ref) => ({ layer: ref.layer, tap: ref.tap, tensor: new NativeTensor(library, ref) }));
  const close = (): void => {
    logits?.close();
    for (const { tensor } of taps) tensor.close();
  };
  return { ...result, logits, taps, close };
}
