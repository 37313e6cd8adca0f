// A drafter of the native engine, and its draft sessions.
import type { Call, Drafter, DrafterInfo, DraftSession, Observation, Proposal, Switches } from '../types';
import { runJob, type Request } from './jobs';
import type { NativeLibrary } from './library';
import { NativeHandle, ownHandle } from './nativeHandle';
import { handleOf, NativeTensor } from './nativeTensor';
import { Forked, Observed, Opened, Proposed } from './results';

export class NativeDrafter extends NativeHandle implements Drafter {
  constructor(
    library: NativeLibrary,
    handle: number,
    readonly info: DrafterInfo,
  ) {
    super(library, handle);
  }

  async open(switches?: Switches, { batch, ...call }: { batch?: number } & Call = {}): Promise<NativeDraftSession> {
    const opened = await runJob(this.library, this.handle, { kind: 'openDraft', switches, batch }, Opened, call);
    return new NativeDraftSession(this.library, opened.handle, opened.switches, Array<number>(opened.batch).fill(0));
  }
}

export class NativeDraftSession extends NativeHandle implements DraftSession {
  readonly batch: number;

  constructor(
    library: NativeLibrary,
    handle: number,
    readonly switches: Switches,
    private positions: readonly number[],
  ) {
    super(library, handle);
    this.batch = positions.length;
  }

  get position(): readonly number[] {
    return this.positions;
  }

  async observe({ features, rows, next }: Observation, call?: Call): Promise<void> {
    const request = { kind: 'observe', features: features.map((tensor, i) => handleOf(this.library, tensor, `/features/${i}`)), rows, next };
    const { position } = await runJob(this.library, this.handle, request, Observed, call);
    this.positions = position;
  }

  async propose(width: number, { logits, top, after, ...call }: { logits?: boolean; top?: number; after?: readonly number[] } & Call = {}): Promise<Proposal> {
    const proposed = await runJob(this.library, this.handle, { kind: 'propose', width, logits, top, after }, Proposed, call);
    const tensor = proposed.logits && new NativeTensor(this.library, proposed.logits);
    return { ...proposed, logits: tensor, close: () => tensor?.close() };
  }

  fork({ rows, ...call }: { rows?: readonly number[] } & Call = {}): Promise<NativeDraftSession> {
    return this.copied({ kind: 'forkDraft', rows }, call);
  }

  async join(others: readonly DraftSession[], call?: Call): Promise<NativeDraftSession> {
    const drafts = others.map((other, i) => ownHandle(this.library, other, NativeDraftSession, `/drafts/${i}`, 'A draft session of another engine cannot be joined. Open it on the same drafter.'));
    return this.copied({ kind: 'joinDraft', drafts }, call);
  }

  private async copied(request: Request, call: Call | undefined): Promise<NativeDraftSession> {
    const { handle, position } = await runJob(this.library, this.handle, request, Forked, call);
    return new NativeDraftSession(this.library, handle, this.switches, position);
  }
}
