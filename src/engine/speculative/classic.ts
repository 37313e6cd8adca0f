// Classic decode: one token a forward, no drafter. The reference of every comparison.
import { greatest } from '../../shared/extremes';
import { throwIfCancelled } from '../problem';
import type { Call, Candidate, Session, Step } from '../types';

export type End = 'budget' | 'eos' | 'context' | 'cancelled';

export interface ClassicRow {
  /** The first id is what the prefill's last row chose. */
  readonly ids: number[];
  /** Best candidates of each id, best first. */
  readonly top: (readonly Candidate[])[];
  end: End;
}

export interface ClassicOptions extends Call {
  /** Ids to emit, the first bonus included. */
  readonly tokens: number;
  readonly eos: ReadonlySet<number>;
  /** Candidates kept of each id. */
  readonly top: number;
  /** Positions that the model has. */
  readonly context: number;
  readonly onToken?: ((emitted: number) => void) | undefined;
  /** Sees every step and the ids that it was fed, before the step is closed. */
  readonly onStep?: ((ids: readonly number[], step: Step) => Promise<void>) | undefined;
}

/** Greedy ids of every batch row after a prefill, whose last step is `first`. A row that has ended is fed on; what it gives is dropped. */
export async function classicDecode(session: Session, first: Step, options: ClassicOptions): Promise<ClassicRow[]> {
  const { tokens, eos, top, context, signal, onToken, onStep } = options;
  const rows = first.top.map((best): ClassicRow => ({ ids: [best[0]?.id ?? 0], top: [best], end: 'budget' }));
  const done = rows.map(({ ids }) => ended(ids, tokens, eos));
  for (let emitted = 1; done.includes(null); emitted += 1) {
    throwIfCancelled(signal);
    onToken?.(emitted);
    if (greatest(session.position) >= context) break;
    const ids = rows.map((row) => row.ids.at(-1) ?? 0);
    const step = await session.decode(ids, { signal, top });
    try {
      await onStep?.(ids, step);
    } finally {
      step.close();
    }
    for (const [r, row] of rows.entries()) {
      if (done[r] !== null) continue;
      const best = step.top[r] ?? [];
      row.ids.push(best[0]?.id ?? 0);
      row.top.push(best);
      done[r] = ended(row.ids, tokens, eos);
    }
  }
  for (const [r, row] of rows.entries()) row.end = done[r] ?? 'context';
  return rows;
}

/** Why a row that emitted `ids` goes no further, null: it does. */
export function ended(ids: readonly number[], tokens: number, eos: ReadonlySet<number>): End | null {
  if (eos.has(ids.at(-1) ?? -1)) return 'eos';
  return ids.length >= tokens ? 'budget' : null;
}
