// A round's drafts: greedy ones as the drafter proposes them, or drawn from its distribution.
import { readRows } from '../floats';
import type { Call, DraftSession, Proposal } from '../types';
import { distribution, draw, type SamplingOptions, type Uniform } from './sampling';

export interface Drafted {
  /** width - 1 ids per batch row. */
  readonly ids: readonly (readonly number[])[];
  /** What each was drawn from, null for greedy drafts. */
  readonly q: readonly (readonly Float64Array[])[] | null;
}

export interface Sampler {
  readonly options: SamplingOptions;
  /** One stream of numbers a batch row. */
  readonly uniforms: readonly Uniform[];
}

export async function draftsOf(drafter: DraftSession, width: number, sampler: Sampler | null, tokenByToken: boolean, call: Call): Promise<Drafted> {
  if (width === 1) return { ids: noDrafts(drafter), q: sampler === null ? null : noDrafts(drafter) };
  if (sampler !== null) return tokenByToken ? drawnOneByOne(drafter, width, sampler, call) : drawnAtOnce(drafter, width, sampler, call);
  const proposal = await drafter.propose(width, call);
  proposal.close();
  return { ids: proposal.ids, q: null };
}

const noDrafts = ({ batch }: DraftSession): never[][] => Array.from({ length: batch }, () => []);

/** A block drafter gives every position's distribution at once, each without sight of the others. */
async function drawnAtOnce(drafter: DraftSession, width: number, sampler: Sampler, call: Call): Promise<Drafted> {
  const rows = await logitsOf(await drafter.propose(width, { ...call, logits: true }));
  const q = Array.from({ length: drafter.batch }, (_, row) => rows.slice(row * (width - 1), (row + 1) * (width - 1)).map((logits) => distribution(logits, sampler.options)));
  return { ids: q.map((own, row) => own.map((p) => drawFor(sampler, row, p))), q };
}

/** A drafter that goes token by token is told what was drawn before it goes on. */
async function drawnOneByOne(drafter: DraftSession, width: number, sampler: Sampler, call: Call): Promise<Drafted> {
  const ids = Array.from({ length: drafter.batch }, (): number[] => []);
  const q = Array.from({ length: drafter.batch }, (): Float64Array[] => []);
  for (let j = 0; j < width - 1; j += 1) {
    const after = j === 0 ? {} : { after: ids.map((own) => own.at(-1) ?? 0) };
    const rows = await logitsOf(await drafter.propose(2, { ...call, ...after, logits: true }));
    for (const [row, logits] of rows.entries()) {
      const p = distribution(logits, sampler.options);
      q[row]?.push(p);
      ids[row]?.push(drawFor(sampler, row, p));
    }
  }
  return { ids, q };
}

export function drawFor({ uniforms }: Sampler, row: number, p: Float64Array): number {
  const uniform = uniforms[row];
  if (uniform === undefined) throw new Error(`batch row ${row} has no random numbers`);
  return draw(p, uniform());
}

async function logitsOf(proposal: Proposal): Promise<Float32Array[]> {
  try {
    if (proposal.logits === null) throw new Error('the drafter gave no logits');
    return await readRows(proposal.logits);
  } finally {
    proposal.close();
  }
}
