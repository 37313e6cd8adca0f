// What a combination of switches does to bytes and kernels, apart from any verdict: one prefill, some single steps, one verify block, every tap of them hashed.
import { createHash, type Hash } from 'node:crypto';
import { splitSwitches } from '../../speculative/burstSwitches';
import { runPrefill } from '../../speculative/prefill';
import type { Call, Model, Step, Switches } from '../../types';
import { namesOf } from '../arms';
import { Sessions } from '../sessions';
import { drawBlock, drawPrompt, drawSalt, syntheticIds } from '../syntheticIds';

export interface Witness {
  readonly bytes: string;
  readonly counters: string;
}

/** Past the tile and chunk sizes of most kernels, so that a switch between them has something to change. */
const promptLength = 160;
const singleSteps = 2;
/** Rows at which row-count policies switch. */
const block = 8;

/** Throws what the engine throws. */
export async function witnessOf(model: Model, switches: Switches, call: Call): Promise<Witness> {
  const { vocab, context } = model.info;
  const { engine, burst } = splitSwitches(switches);
  const prompt = syntheticIds(drawPrompt, drawSalt(0), Math.max(1, Math.min(promptLength, context - block - singleSteps)), vocab);
  const ids = syntheticIds(drawBlock, drawSalt(0), singleSteps + block, vocab);
  const sessions = new Sessions();
  const hash = createHash('sha256');
  const kernels = new Set<string>();
  const capture = { ...call, taps: ['*'], capture: 'hash', logits: 'all' } as const;
  try {
    const session = await sessions.fresh(model, engine, call);
    const add = (step: Step): void => {
      absorb(hash, step);
      for (const { op, kernel } of step.kernels) kernels.add(`${op} ${kernel}`);
      // As resolved: how many threads computed in the end depends on what else the machine does, and would make any switch look live.
      kernels.add(`threads ${session.switches['threads'] ?? ''}`).add(`isa ${step.isa}`);
      step.close();
    };
    add(await runPrefill(session, [prompt], { path: burst.prefill, partition: 0 }, capture));
    for (const id of ids.slice(0, singleSteps)) add(await session.decode([id], capture));
    add(await session.verify(ids.slice(singleSteps), capture));
  } finally {
    sessions.close();
  }
  return { bytes: hash.digest('hex').slice(0, 32), counters: namesOf(kernels).join(', ') };
}

function absorb(hash: Hash, { hashes }: Step): void {
  for (const one of hashes) hash.update(`${one.layer} ${one.tap} ${one.dtype} ${one.hash}\n`);
}
