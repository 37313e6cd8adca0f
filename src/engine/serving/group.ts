// Requests that go in step: the rows of one batched session, with a drafter beside it or without. Requests come and go between steps.
import { append } from '../../shared/append';
import { greedyRule } from '../speculative/acceptRule';
import { Observer } from '../speculative/observer';
import { verifyRound, type Seat } from '../speculative/round';
import type { Call, Drafter, DraftSession, Session } from '../types';
import type { ServedRound } from './captureLines';
import { candidatesFor, choose, logitsFor, type Chosen } from './chosen';
import type { Entry } from './prefixCache';
import type { Piece } from './request';
import type { Served } from './served';
import type { Texts } from './texts';

/** A request whose prompt stands in a session of its own. */
export interface Ready {
  readonly served: Served;
  readonly session: Session;
  /** Null in a group without speculation. */
  readonly draft: DraftSession | null;
}

/** A row of the batch. */
interface Row {
  readonly served: Served;
  /** Tokens after the prompt that the session has seen. */
  readonly fed: number[];
  /** Emitted last, not fed yet. */
  bonus: number;
}

export interface Speculating {
  readonly drafter: Drafter;
  /** Rows of a block. */
  readonly width: number;
}

export interface GroupHooks {
  /** A request leaves, while its row still stands: `entry` makes a copy of it. */
  readonly onLeave: (served: Served, entry: () => Promise<Entry>) => Promise<void>;
  readonly onRound?: ((served: Served, round: ServedRound) => void) | undefined;
}

export class Group {
  private rows: Row[] = [];
  private session: Session | null = null;
  private draft: DraftSession | null = null;

  constructor(
    private readonly texts: Texts,
    private readonly speculating: Speculating | null,
    private readonly hooks: GroupHooks,
  ) {}

  get size(): number {
    return this.rows.length;
  }

  get served(): Served[] {
    return this.rows.map(({ served }) => served);
  }

  /** Takes over the session and the draft; where that fails, all is as it was. */
  async add({ served, session, draft }: Ready, call: Call): Promise<void> {
    const joined = await joinedWith(this.session, session, call);
    const seen = await joinedWith(this.draft, draft, call).catch((error: unknown) => {
      if (joined !== session) joined?.close();
      throw error;
    });
    for (const old of [this.session, this.draft]) old?.close();
    if (joined !== session) session.close();
    if (seen !== draft) draft?.close();
    [this.session, this.draft] = [joined, seen];
    this.rows.push({ served, fed: [], bonus: served.ids.at(-1) ?? 0 });
    for (const row of this.rows) row.served.together = Math.max(row.served.together, this.size);
  }

  /** One step of every row; those that have ended leave. */
  async step(call: Call): Promise<void> {
    const { session, rows } = this;
    if (session === null || rows.length === 0) return;
    if (this.speculating === null || this.draft === null) await this.decode(session, call);
    else await this.round(session, this.draft, this.speculating, call);
    await this.leave(call);
  }

  /** Lets those go that have ended, their client gone among them. */
  async leave(call: Call): Promise<void> {
    for (const { served } of this.rows) served.dropIfGone();
    const kept = this.rows.flatMap(({ served }, row) => (served.end === null ? [row] : []));
    if (kept.length === this.rows.length) return;
    for (const [row, { served }] of this.rows.entries()) if (served.end !== null) await this.hooks.onLeave(served, () => this.entryOf(row, call));
    this.rows = this.rows.filter(({ served }) => served.end === null);
    this.session = await keptRows(this.session, kept, call);
    this.draft = await keptRows(this.draft, kept, call);
  }

  close(): void {
    this.session?.close();
    this.draft?.close();
    [this.session, this.draft, this.rows] = [null, null, []];
  }

  private async decode(session: Session, call: Call): Promise<void> {
    const { served } = this;
    const step = await session.decode(this.rows.map(({ bonus }) => bonus), { ...call, top: candidatesFor(served) });
    try {
      const logits = await logitsFor(step, served);
      const chosen = this.rows.map((row, r): Chosen[] => {
        const top = step.top[r] ?? [];
        const id = choose(row.served, top, logits?.[r]);
        row.fed.push(row.bonus);
        row.bonus = id;
        return [{ id, origin: 'classic', round: -1, top, logits: logits?.[r] ?? null }];
      });
      await this.emit(chosen);
    } finally {
      step.close();
    }
  }

  private async round(session: Session, draft: DraftSession, { drafter, width }: Speculating, call: Call): Promise<void> {
    const { served } = this;
    const seats = this.rows.map(({ bonus, served: one }): Seat => ({ live: true, bonus, sampler: one.sampler, before: (accepted) => one.before(accepted) }));
    const bench = { session, observer: new Observer(draft, drafter.info), tokenByToken: drafter.info.family === 'mtp', rule: greedyRule, call };
    const chosen: Chosen[][] = [];
    const { rows, ms } = await verifyRound(bench, seats, width, candidatesFor(served), async (step, settled) => {
      const logits = await logitsFor(step, served, false);
      for (const [r, { drafts, accepted, next }] of settled.entries()) {
        const { rounds } = served[r]?.speculation ?? { rounds: 0 };
        const at = (j: number): Pick<Chosen, 'round' | 'top' | 'logits'> => ({ round: rounds, top: step.top[r * width + j] ?? [], logits: logits?.[r * width + j] ?? null });
        chosen.push([...drafts.slice(0, accepted).map((id, j): Chosen => ({ id, origin: 'draft', ...at(j) })), { id: next, origin: 'bonus', ...at(accepted) }]);
      }
    });
    const before = served.map(({ ids }) => ids.length);
    for (const [r, settled] of rows.entries()) served[r]?.countRound(settled);
    await this.emit(chosen);
    for (const [r, { drafts, targets, agreed, accepted, next }] of rows.entries()) {
      const row = this.rows[r];
      if (row === undefined) continue;
      const { bonus } = row;
      append(row.fed, [bonus, ...drafts.slice(0, accepted)]);
      row.bonus = next;
      this.hooks.onRound?.(row.served, { width, bonus, drafts: [...drafts], targets: [...targets], accepted: agreed, emitted: row.served.ids.slice(before[r]), ms: { ...ms } });
    }
  }

  /** `chosen`: of every row. */
  private async emit(chosen: readonly (readonly Chosen[])[]): Promise<void> {
    await this.texts.emit(this.rows.map(({ served }, r) => ({ served, chosen: chosen[r] ?? [] })));
  }

  /** A row as it stands, for a request that goes on from there. */
  private async entryOf(row: number, call: Call): Promise<Entry> {
    const own = this.rows[row];
    if (own === undefined || this.session === null) throw new Error(`no row ${row} in a group of ${this.size}`);
    const { served, fed, bonus } = own;
    const [session, draft] = await forked(this.session, this.draft, { ...call, rows: [row] });
    const how: Piece['how'] = this.speculating === null ? 'decode' : 'verify';
    return { ids: [...served.request.prompt, ...fed], session, seen: draft === null ? null : { draft, next: bonus }, partition: [...served.partition, ...(fed.length === 0 ? [] : [{ how, tokens: fed.length }])], last: null };
  }
}

interface Rows<T> {
  fork(options: { rows?: readonly number[] } & Call): Promise<T>;
  join(others: readonly T[], call?: Call): Promise<T>;
  close(): void;
}

/** Both as one batch. What it is made of stays, and is the batch itself where there is only one. */
const joinedWith = async <T extends Rows<T>>(batch: T | null, one: T | null, call: Call): Promise<T | null> => (batch === null || one === null ? one : batch.join([one], call));

/** Copies of both, or of none. */
export async function forked(session: Session, draft: DraftSession | null, options: { rows?: readonly number[] } & Call): Promise<[Session, DraftSession | null]> {
  const copy = await session.fork(options);
  try {
    return [copy, draft === null ? null : await draft.fork(options)];
  } catch (error) {
    copy.close();
    throw error;
  }
}

async function keptRows<T extends Rows<T>>(batch: T | null, rows: readonly number[], call: Call): Promise<T | null> {
  if (batch === null) return null;
  const kept = rows.length === 0 ? null : await batch.fork({ ...call, rows });
  batch.close();
  return kept;
}
