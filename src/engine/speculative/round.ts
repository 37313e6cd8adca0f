// One round of speculation over the rows of a batch: draft width - 1 ids after each bonus, verify [bonus, ...drafts], accept a prefix, tell the drafter, keep
// accepted + 1 rows, rewind the others. Between rounds the target holds every committed token but the bonus; the drafter has seen the features of all of them.
import { readRows } from '../floats';
import type { Call, Rewound, Session, Step } from '../types';
import type { AcceptRule } from './acceptRule';
import { draftsOf, type Drafted, type RowSampler } from './drafts';
import type { Observer } from './observer';
import { distribution, rejection } from './sampling';

/** A batch row before a round. */
export interface Seat {
  /** A row that has ended keeps one row of junk, and tells the drafter nothing. */
  readonly live: boolean;
  /** The last token that was emitted, which the target has not seen. */
  readonly bonus: number;
  /** Null: greedy. */
  readonly sampler: RowSampler | null;
  /** Of so many accepted drafts, those before the row ends: what comes after its last token is not kept. Left out: all. */
  readonly before?: (accepted: readonly number[]) => number;
}

/** The same row after it. */
export interface Settled {
  readonly drafts: readonly number[];
  /** The target's greedy choice after each row of the block. */
  readonly targets: readonly number[];
  /** Drafts that are kept. */
  readonly accepted: number;
  /** Drafts that stand by the rule: as many, or more in a row that ends before. */
  readonly agreed: number;
  /** The next bonus. */
  readonly next: number;
}

export interface Bench {
  readonly session: Session;
  readonly observer: Observer;
  /** The drafter can go on from given tokens (MTP). */
  readonly tokenByToken: boolean;
  readonly rule: AcceptRule;
  readonly call: Call;
}

export interface VerifiedRound {
  readonly rows: readonly Settled[];
  /** Null when every row of the block was kept. */
  readonly rewound: Rewound | null;
  /** Milliseconds, measured around the work itself. */
  readonly ms: { readonly draft: number; readonly verify: number; readonly accept: number; readonly rewind: number };
}

/** Errors are those of session and drafter. `look` sees the verify step before it is closed. `top`: candidates of every row. */
export async function verifyRound(bench: Bench, seats: readonly Seat[], width: number, top = 1, look?: (step: Step, rows: readonly Settled[]) => Promise<void>): Promise<VerifiedRound> {
  const { session, observer, call } = bench;
  const clock = new Laps();
  const drafted = await draftsOf(observer.session, width, seats.map(({ sampler }) => sampler), bench.tokenByToken, call);
  const draft = clock.lap();
  const step = await session.verify(seats.map(({ bonus }, row) => [bonus, ...(drafted.ids[row] ?? [])]), { ...call, taps: observer.taps, top });
  const verify = clock.lap();
  try {
    const rows = await settle(bench, step, seats, width, drafted);
    const kept = rows.map(({ accepted }, row) => (seats[row]?.live === true ? accepted + 1 : 1));
    const { seen, next } = committed(seats, rows);
    await observer.observe(step, width, seen, next, call);
    await look?.(step, rows);
    const accept = clock.lap();
    const rewound = kept.every((count) => count === width) ? null : await session.rewind(kept, call);
    return { rows, rewound, ms: { draft, verify, accept, rewind: clock.lap() } };
  } finally {
    step.close();
  }
}

/** What the drafter is told: rows that count, and the token after each. Of a row that has ended nothing, so its position there stays where its text ended. */
function committed(seats: readonly Seat[], rows: readonly Settled[]): { seen: number[]; next: number[][] } {
  const told = rows.map(({ drafts, accepted, next }, row) => (seats[row]?.live === true ? [...drafts.slice(0, accepted), next] : []));
  return { seen: told.map(({ length }) => length), next: told };
}

async function settle({ rule }: Bench, step: Step, seats: readonly Seat[], width: number, { ids, q }: Drafted): Promise<Settled[]> {
  const sampled = seats.some(({ sampler }) => sampler !== null);
  if (sampled && step.logits === null) throw new Error('the engine gave no logits');
  const logits = sampled && step.logits !== null ? await readRows(step.logits) : [];
  return seats.map(({ sampler, before }, row) => {
    const drafts = ids[row] ?? [];
    const targets = step.top.slice(row * width, (row + 1) * width).map(([best]) => best?.id ?? 0);
    if (sampler === null) {
      const accepted = rule.accepted(drafts, targets);
      return ended({ drafts, targets, accepted, agreed: accepted, next: rule.bonus(targets, accepted) }, before);
    }
    const p = logits.slice(row * width, (row + 1) * width).map((own) => distribution(own, sampler.options));
    const { accepted, bonus } = rejection(drafts, p, q[row] ?? [], sampler.uniform);
    return ended({ drafts, targets, accepted, agreed: accepted, next: bonus }, before);
  });
}

/** A row that ends at an accepted draft has that one as its bonus. */
function ended(row: Settled, before: Seat['before']): Settled {
  const kept = before?.(row.drafts.slice(0, row.accepted)) ?? row.accepted;
  const next = row.drafts[kept];
  return kept < row.accepted && next !== undefined ? { ...row, accepted: kept, next } : row;
}

class Laps {
  private last = performance.now();

  /** Milliseconds since the last lap. */
  lap(): number {
    const now = performance.now();
    const since = now - this.last;
    this.last = now;
    return since;
  }
}
