// A round's drafts: greedy ones as the drafter proposes them, or drawn from its distribution, row by row.
import { readRows } from '../floats';
import type { Call, DraftSession, Proposal } from '../types';
import { distribution, draw, type SamplingOptions, type Uniform } from './sampling';

export interface Drafted {
  /** width - 1 ids per batch row. */
  readonly ids: readonly (readonly number[])[];
  /** Per batch row what each was drawn from, null for greedy drafts. */
  readonly q: readonly (readonly Float64Array[] | null)[];
}

/** How a row that is not greedy chooses. */
export interface RowSampler {
  readonly options: SamplingOptions;
  readonly uniform: Uniform;
}

/** Of every batch row; null: greedy. */
export type Samplers = readonly (RowSampler | null)[];

export async function draftsOf(drafter: DraftSession, width: number, samplers: Samplers, tokenByToken: boolean, call: Call): Promise<Drafted> {
  if (width === 1) return { ids: samplers.map(() => []), q: samplers.map((sampler) => (sampler === null ? null : [])) };
  if (samplers.some((sampler) => sampler !== null)) return tokenByToken ? drawnOneByOne(drafter, width, samplers, call) : drawnAtOnce(drafter, width, samplers, call);
  const proposal = await drafter.propose(width, call);
  proposal.close();
  return { ids: proposal.ids, q: samplers.map(() => null) };
}

/** A block drafter gives every position's distribution at once, each without sight of the others. */
async function drawnAtOnce(drafter: DraftSession, width: number, samplers: Samplers, call: Call): Promise<Drafted> {
  const { ids, rows } = await logitsOf(await drafter.propose(width, { ...call, logits: true }));
  const q = samplers.map((sampler, row) => (sampler === null ? null : rows.slice(row * (width - 1), (row + 1) * (width - 1)).map((logits) => distribution(logits, sampler.options))));
  return { ids: samplers.map((sampler, row) => (sampler === null ? (ids[row] ?? []) : (q[row] ?? []).map((p) => draw(p, sampler.uniform())))), q };
}

/** A drafter that goes token by token is told what was drawn before it goes on. */
async function drawnOneByOne(drafter: DraftSession, width: number, samplers: Samplers, call: Call): Promise<Drafted> {
  const ids = samplers.map((): number[] => []);
  const q = samplers.map((sampler): Float64Array[] | null => (sampler === null ? null : []));
  for (let j = 0; j < width - 1; j += 1) {
    const after = j === 0 ? {} : { after: ids.map((own) => own.at(-1) ?? 0) };
    const proposed = await logitsOf(await drafter.propose(2, { ...call, ...after, logits: true }));
    for (const [row, sampler] of samplers.entries()) {
      const logits = proposed.rows[row];
      if (sampler === null || logits === undefined) {
        ids[row]?.push(proposed.ids[row]?.[0] ?? 0);
        continue;
      }
      const p = distribution(logits, sampler.options);
      q[row]?.push(p);
      ids[row]?.push(draw(p, sampler.uniform()));
    }
  }
  return { ids, q };
}

async function logitsOf(proposal: Proposal): Promise<{ ids: Proposal['ids']; rows: Float32Array[] }> {
  try {
    if (proposal.logits === null) throw new Error('the drafter gave no logits');
    return { ids: proposal.ids, rows: await readRows(proposal.logits) };
  } finally {
    proposal.close();
  }
}
