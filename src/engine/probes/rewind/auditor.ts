// After every rewind: the whole state against sessions that never saw the rejected rows.
import type { StateDiff } from '../../../shared/results/parts';
import type { AuditedTensor, Audits, RewindResult } from '../../../shared/results/rewind';
import { throwIfCancelled } from '../../problem';
import type { Call, Engine, Float, ModelInfo, Session } from '../../types';
import { compareStates, differingStateBytes } from '../bisectState';
import { larger } from '../numbers';
import type { Stopwatch } from '../probe';
import { filled, type ReplayRound } from '../replay/rounds';
import { Sessions } from '../sessions';
import type { Lanes } from './lanes';

type Against = AuditedTensor['against'];

export interface AuditContext {
  readonly engine: Engine;
  readonly info: ModelInfo;
  readonly watch: Stopwatch;
  readonly call: Call;
}

export class Auditor {
  readonly audits: Audits = { round: [], row: [], asked: [], dropped: [], traceBytes: [], keptBytes: [], chainBytes: [] };
  readonly how = new Map<number, string>();
  readonly kernels = { audited: new Set<string>(), chain: new Set<string>() };
  stateBytes = 0;
  /** Largest relative L2 of a state tensor between single steps and the same in another reduction order; null where the engine has none. */
  floor: Float | null = null;
  threads = 0;
  isa = '';
  private readonly tensors = new Map<string, AuditedTensor>();
  private readonly sessions = new Sessions();

  constructor(
    private readonly context: AuditContext,
    private readonly lanes: Lanes,
  ) {}

  /** In the order in which they first differed, and of the layers. */
  differing(): AuditedTensor[] {
    return [...this.tensors.values()].sort((a, b) => a.firstRound - b.firstRound);
  }

  hows(): RewindResult['how'] {
    return [...this.how].map(([layer, how]) => ({ layer, how }));
  }

  /** One round; `rows` holds the round of every batch row. */
  async round(rows: readonly ReplayRound[]): Promise<void> {
    throwIfCancelled(this.context.call.signal);
    const { audited, trace, kept, chains } = this.lanes;
    const vocab = this.context.info.vocab;
    await this.verify(audited, rows.map((round) => filled(round, 'wrong', null, vocab)));
    await this.verify(trace, rows.map((round) => filled(round, 'random', null, vocab)));
    for (const [row, round] of rows.entries()) await this.advance(chains[row], round);
    await this.advanceOther(rows[0]);
    if (kept !== null) await this.verify(kept, rows.map(({ ids, keep }) => ids.slice(0, keep)));
    if (rows.every((round) => round.keep === round.rows)) return;
    const keep = rows.map((round) => round.keep);
    const rewound = await this.timed('rewind', audited.rewind(keep, this.context.call));
    await this.timed('rewind', trace.rewind(keep, this.context.call));
    for (const { layer, how } of rewound.layers) this.how.set(layer, how);
    for (const [row, round] of rows.entries()) if (round.keep < round.rows) await this.audit(round, row, rewound.dropped[row] ?? 0);
  }

  private timed<T>(phase: string, work: Promise<T>): Promise<T> {
    return this.context.watch.time(phase, work);
  }

  private async verify(session: Session, ids: readonly (readonly number[])[]): Promise<void> {
    const step = await this.timed('verify', session.verify(ids, { ...this.context.call, logits: 'none' }));
    step.close();
    if (session === this.lanes.audited) for (const { kernel } of step.kernels) this.kernels.audited.add(kernel);
    this.threads = step.threads;
    this.isa = step.isa;
  }

  private async advance(chain: Session | undefined, { ids, keep }: ReplayRound): Promise<void> {
    for (const id of ids.slice(0, keep)) {
      const step = await this.timed('chain', chain?.decode([id], { ...this.context.call, logits: 'none' }) ?? Promise.reject(new Error('a batch row has no chain')));
      step.close();
      for (const { kernel } of step.kernels) this.kernels.chain.add(kernel);
    }
  }

  private async advanceOther(round: ReplayRound | undefined): Promise<void> {
    const { other, chains: [chain] } = this.lanes;
    if (other === null || chain === undefined || round === undefined) return;
    const { engine, info, call } = this.context;
    for (const id of round.ids.slice(0, round.keep)) (await this.timed('otherOrder', other.decode([id], { ...call, logits: 'none' }))).close();
    for (const { relL2 } of await this.timed('state', compareStates(engine, info, chain, other, call))) this.floor = larger(this.floor ?? 0, relL2);
  }

  private async audit(round: ReplayRound, row: number, dropped: number): Promise<void> {
    const { audited, trace, kept, chains } = this.lanes;
    const { audits } = this;
    const chain = chains[row];
    const of = this.lanes.chains.length === 1 ? {} : { rows: [row] };
    const traceBytes = await this.rows(of, [audited, trace], (a, b) => this.compare(a, b, 'trace', round.index));
    const keptBytes = kept === null ? -1 : await this.compare(audited, kept, 'kept', round.index);
    const chainBytes = chain === undefined ? -1 : await this.rows(of, [audited], (a) => this.compare(a, chain, 'chain', round.index));
    // All columns at once: a run may be cancelled at any await, and its report has to open again.
    audits.round.push(round.index);
    audits.row.push(row);
    audits.asked.push(round.rows - round.keep);
    audits.dropped.push(dropped);
    audits.traceBytes.push(traceBytes);
    audits.keptBytes.push(keptBytes);
    audits.chainBytes.push(chainBytes);
  }

  /** `work` on the sessions themselves, or on one batch row of each. */
  private async rows(of: { rows?: readonly number[] }, [a, b]: readonly Session[], work: (a: Session, b: Session) => Promise<number>): Promise<number> {
    if (a === undefined) return -1;
    if (of.rows === undefined) return work(a, b ?? a);
    const options = { ...of, ...this.context.call };
    return this.sessions.withFork(a, options, (left) => (b === undefined ? work(left, left) : this.sessions.withFork(b, options, (right) => work(left, right))));
  }

  /** Bytes of state that differ. */
  private async compare(a: Session, b: Session, against: Against, round: number): Promise<number> {
    const { engine, info, call } = this.context;
    const diffs = await this.timed('state', compareStates(engine, info, b, a, call));
    this.stateBytes = Math.max(this.stateBytes, diffs.reduce((sum, { bytes }) => sum + bytes, 0));
    for (const diff of diffs) if (diff.differingBytes > 0) this.note(diff, against, round);
    return differingStateBytes(diffs);
  }

  private note({ layer, tensor, bytes, differingBytes, relL2, firstIndex }: StateDiff, against: Against, round: number): void {
    const key = `${against} ${layer} ${tensor}`;
    const known = this.tensors.get(key);
    this.tensors.set(
      key,
      known === undefined
        ? { layer, tensor, against, bytes, differingBytes, relL2, rewinds: 1, firstRound: round, firstIndex }
        : { ...known, bytes: Math.max(known.bytes, bytes), differingBytes: Math.max(known.differingBytes, differingBytes), relL2: larger(known.relL2, relL2), rewinds: known.rewinds + 1 },
    );
  }
}
