// A drafter that proposes what a test plans. It reads nothing of the target.
import type { Drafter, DrafterInfo, DraftSession, Proposal } from '../../../src/engine/types';

/** `seen`: rows of the target that were committed, the prompt's among them; `round`: proposals before this one. Gives `width` - 1 ids. */
export type Plan = (place: { readonly row: number; readonly round: number; readonly seen: number; readonly width: number }) => readonly number[];

const info: DrafterInfo = {
  path: 'planned', family: 'dflash', layers: [], hidden: 1, vocab: 1, blockSize: null, maskId: null, taps: [], slidingWindow: null, dtype: 'bf16', quantisation: null,
  parameters: 0, weightBytes: 0, fingerprint: 'planned', warnings: [], switches: [],
};

export function plannedSession(plan: Plan, batch = 1): DraftSession {
  const position = Array.from({ length: batch }, () => 0);
  let round = -1;
  return {
    switches: {},
    batch,
    position,
    observe: ({ rows }) => {
      for (const [row, [from, to]] of rows.entries()) position[row]! += to - from;
      return Promise.resolve();
    },
    propose: (width): Promise<Proposal> => {
      round += 1;
      const ids = position.map((seen, row) => plan({ row, round, seen, width }));
      return Promise.resolve({ ids, logits: null, top: [], ms: 0, close: () => undefined });
    },
    fork: () => Promise.reject(new Error('a plan has no copy')),
    join: () => Promise.reject(new Error('a plan has no copy')),
    close: () => undefined,
  };
}

export const planned = (plan: Plan): Drafter => ({ info, open: (_, options = {}) => Promise.resolve(plannedSession(plan, options.batch)), close: () => undefined });

/**
 * Drafts of a text that is known: `texts[row]` holds the ids from the first bonus on, after a prompt of `length` tokens. `wrong` says which drafts (from 0) of a round are
 * replaced by another id.
 */
export function oracle(texts: readonly (readonly number[])[], length: number, wrong: (place: { row: number; round: number; draft: number }) => boolean = () => false): Plan {
  return ({ row, round, seen, width }) =>
    Array.from({ length: width - 1 }, (_, draft) => {
      // The bonus stands at index seen - length of the text; the first draft comes after it.
      const right = texts[row]?.[seen - length + 1 + draft] ?? 0;
      return wrong({ row, round, draft }) ? right + 1 : right;
    });
}
