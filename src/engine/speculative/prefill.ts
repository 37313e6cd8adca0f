// The prompt of a burst: its own forward, the batched causal one of classic decode, in the forwards that a partition says.
import { throwIfCancelled } from '../problem';
import type { Call, ForwardOptions, Session, Step } from '../types';
import type { PrefillPath } from './burstSwitches';

export interface PrefillPlan {
  readonly path: PrefillPath;
  /** Tokens of a forward, 0: the whole prompt at once. */
  readonly partition: number;
}

/** One forward of a prefill: rows [from, from + ids) of the prompt. The step is closed when the handler returns. */
export type OnForward = (step: Step, from: number, length: number, last: boolean) => Promise<void>;

/** Pieces [from, to) of a prompt of `length` tokens. */
export function partitionOf(length: number, partition: number): [number, number][] {
  const size = partition === 0 ? length : partition;
  return Array.from({ length: Math.ceil(length / size) }, (_, i): [number, number] => [i * size, Math.min(length, (i + 1) * size)]);
}

/** One forward over a piece of the prompt. */
export function runPiece(session: Session, ids: readonly (readonly number[])[], { path }: PrefillPlan, options: ForwardOptions): Promise<Step> {
  return path === 'causal' ? session.prefill(ids, options) : session.verify(ids, options);
}

/**
 * Runs the prompts of all batch rows, which have one length, and returns the last forward's step; its logits are those of each row's last token.
 * The caller closes it. Errors are the session's.
 */
export async function runPrefill(session: Session, prompts: readonly (readonly number[])[], plan: PrefillPlan, options: ForwardOptions & Call, onForward?: OnForward): Promise<Step> {
  const length = prompts[0]?.length ?? 0;
  const pieces = partitionOf(length, plan.partition);
  let step: Step | null = null;
  for (const [i, [from, to]] of pieces.entries()) {
    throwIfCancelled(options.signal);
    step?.close();
    const last = i === pieces.length - 1;
    const ids = prompts.map((prompt) => prompt.slice(from, to));
    step = await runPiece(session, ids, plan, { ...options, logits: last ? 'last' : 'none' });
    try {
      await onForward?.(step, from, to - from, last);
    } catch (error) {
      step.close();
      throw error;
    }
  }
  if (step === null) throw new Error('a prefill needs at least one token');
  return step;
}
