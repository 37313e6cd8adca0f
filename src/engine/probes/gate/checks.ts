// What the gate tries at one width. Every check drives blocks against single steps from one production prefill:
// short draws, a long walk of full blocks, and a walk whose rounds reject rows and rewind, with wrong ids in what is rejected.
import type { GateCheck } from '../../../shared/results/gate';
import { throwIfCancelled } from '../../problem';
import type { Call, Engine, Model, Switches } from '../../types';
import { compareStates, differingStateBytes } from '../bisectState';
import { differingRows, firstDiffering } from '../choices';
import type { Stopwatch } from '../probe';
import { armOf, Lockstep } from '../replay/lockstep';
import { roundsOf } from '../replay/rounds';
import { cycled } from '../replay/schedule';
import { placeOf } from '../replay/verdict';
import { Sessions } from '../sessions';
import { drawBlock, drawPrompt, drawSalt, syntheticIds, walkPrompt, walkTokens } from '../syntheticIds';

export interface GateInput {
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
}

/** What another probe tries before it engages a width. */
export const briefGate: GateInput = { draws: 3, promptLength: 64, walk: 64 };

export interface GateContext {
  readonly engine: Engine;
  readonly model: Model;
  readonly watch: Stopwatch;
  readonly call: Call;
  /** Taps that a drafter reads: taken in every block, as a served burst does. */
  readonly taps: readonly string[];
}

interface Planned {
  readonly name: string;
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  /** Kept rows, cycled. */
  readonly kept: readonly number[];
}

/** Rounds of a walk that rewind keep these rows in turn, as far as the width goes. */
const rewindPattern = [1, 2, 3];

export function planOf({ draws, promptLength, walk }: GateInput, width: number, vocab: number): Planned[] {
  const short = Array.from({ length: draws }, (_, draw): Planned => {
    const salt = drawSalt(draw);
    return { name: `draw ${draw + 1} of ${draws}`, prompt: syntheticIds(drawPrompt, salt, promptLength, vocab), ids: syntheticIds(drawBlock, salt, width, vocab), kept: [width] };
  });
  if (walk === 0) return short;
  const prompt = syntheticIds(walkPrompt, 0, promptLength, vocab);
  const ids = syntheticIds(walkTokens, 0, walk, vocab);
  return [
    ...short,
    { name: `walk of ${walk}, all rows kept`, prompt, ids, kept: [width] },
    { name: `walk of ${walk} with rewinds`, prompt, ids, kept: [...new Set(rewindPattern.map((keep) => Math.min(keep, width)))] },
  ];
}

export interface Checked {
  readonly check: GateCheck;
  readonly kernels: readonly string[];
  readonly chainKernels: readonly string[];
  readonly switches: Switches;
  readonly notes: readonly string[];
  readonly threads: number;
  readonly isa: string;
}

/** Throws what the engine throws: a check that did not run is no pass. */
export async function runCheck(context: GateContext, switches: Switches, width: number, { name, prompt, ids, kept }: Planned): Promise<Checked> {
  const { engine, model, watch, call } = context;
  const sessions = new Sessions();
  try {
    throwIfCancelled(call.signal);
    const chain = await sessions.fresh(model, switches, call);
    (await watch.time('prefill', chain.prefill(prompt, { ...call, logits: 'none' }))).close();
    const arm = armOf('block', 'wrong', await sessions.fork(chain, call));
    const schedule = cycled(kept, width, ids.length);
    const lockstep = new Lockstep({ engine, vocab: model.info.vocab, watch, call, drafts: null, taps: context.taps }, { plain: chain, repeat: null, other: null }, [arm]);
    for (const round of roundsOf(schedule, ids)) await lockstep.round(round);
    const { rows } = arm.choices;
    const entry = firstDiffering(rows);
    // Entries of a replay begin with the prefill's row, which a check does not compare.
    const place = entry < 0 ? null : placeOf(entry + 1, schedule);
    const state = await watch.time('state', compareStates(engine, model.info, chain, arm.session, call));
    const check = {
      name,
      rows: rows.differingBytes.length,
      differingRows: differingRows(rows),
      first: place === null ? null : { row: place.row, round: place.round, differingBytes: rows.differingBytes[entry] ?? 0, totalBytes: rows.bytes },
      stateBytes: differingStateBytes(state),
    };
    return { check, kernels: [...arm.kernels], chainKernels: [...lockstep.kernels], switches: chain.switches, notes: chain.notes, threads: lockstep.threads, isa: lockstep.isa };
  } finally {
    sessions.close();
  }
}
