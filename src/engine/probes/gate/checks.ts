// What the gate tries at one width. Every check drives blocks against single steps from one production prefill:
// short draws, a long walk of full blocks, and a walk whose rounds reject rows and rewind, with wrong ids in what is rejected.
import type { GateCheck } from '../../../shared/results/gate';
import { throwIfCancelled } from '../../problem';
import type { Call, Engine, Model, ModelInfo, Switches } from '../../types';
import { compareStates, differingStateBytes } from '../bisectState';
import { differingRows, firstDiffering } from '../choices';
import type { Stopwatch } from '../probe';
import { armOf, Lockstep } from '../replay/lockstep';
import { roundsOf } from '../replay/rounds';
import { cycled } from '../replay/schedule';
import { placeOf } from '../replay/verdict';
import { Sessions } from '../sessions';
import { drawBlock, drawPrompt, drawSalt, syntheticIds, walkPrompt, walkTokens, type Recipe } from '../syntheticIds';

export interface GateInput {
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
  /** Rows that run together, each with ids of its own: a kernel may be chosen by rows x batch. */
  readonly batch: number;
}

/** What another probe tries before it engages a width: less where the model's context has no room for it. */
export function briefGate({ context }: Pick<ModelInfo, 'context'>, batch = 1): GateInput {
  const half = Math.max(1, Math.min(64, context >> 1));
  return { draws: 3, promptLength: half, walk: half, batch };
}

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
  /** Of every batch row. */
  readonly prompts: readonly (readonly number[])[];
  readonly ids: readonly (readonly number[])[];
  /** Kept rows, cycled. */
  readonly kept: readonly number[];
}

/** Rounds of a walk that rewind keep these rows in turn, as far as the width goes. */
const rewindPattern = [1, 2, 3];

export function planOf({ draws, promptLength, walk, batch }: GateInput, width: number, vocab: number): Planned[] {
  const rows = (recipe: Recipe, salt: (row: number) => number, length: number): number[][] => Array.from({ length: batch }, (_, row) => syntheticIds(recipe, salt(row), length, vocab));
  const short = Array.from({ length: draws }, (_, draw): Planned => {
    const salt = (row: number): number => drawSalt(draw + row * draws);
    return { name: `draw ${draw + 1} of ${draws}`, prompts: rows(drawPrompt, salt, promptLength), ids: rows(drawBlock, salt, width), kept: [width] };
  });
  if (walk === 0) return short;
  const salt = (row: number): number => (row === 0 ? 0 : drawSalt(row));
  const walked = { prompts: rows(walkPrompt, salt, promptLength), ids: rows(walkTokens, salt, walk) };
  return [
    ...short,
    { name: `walk of ${walk}, all rows kept`, ...walked, kept: [width] },
    { name: `walk of ${walk} with rewinds`, ...walked, kept: [...new Set(rewindPattern.map((keep) => Math.min(keep, width)))] },
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
export async function runCheck(context: GateContext, switches: Switches, width: number, { name, prompts, ids, kept }: Planned): Promise<Checked> {
  const { engine, model, watch, call } = context;
  const batch = prompts.length;
  const sessions = new Sessions();
  try {
    throwIfCancelled(call.signal);
    const chain = await sessions.fresh(model, switches, { ...call, batch });
    (await watch.time('prefill', chain.prefill(prompts, { ...call, logits: 'none' }))).close();
    const arm = armOf('block', 'wrong', await sessions.fork(chain, call));
    const schedule = cycled(kept, width, ids[0]?.length ?? 0);
    const lockstep = new Lockstep({ engine, vocab: model.info.vocab, watch, call, drafts: null, taps: context.taps }, { plain: chain, repeat: null, other: null }, [arm]);
    const walks = ids.map((own) => roundsOf(schedule, own));
    for (const index of schedule.rows.keys()) await lockstep.round(walks.flatMap((rounds) => rounds.slice(index, index + 1)));
    const { rows } = arm.choices;
    const entry = firstDiffering(rows);
    // Entries of a replay begin with the prefill's row, which a check does not compare.
    const place = entry < 0 ? null : placeOf(Math.floor(entry / batch) + 1, schedule);
    const state = await watch.time('state', compareStates(engine, model.info, chain, arm.session, call));
    const check = {
      name,
      rows: rows.differingBytes.length,
      differingRows: differingRows(rows),
      first: place === null ? null : { row: place.row, round: place.round, batchRow: entry % batch, differingBytes: rows.differingBytes[entry] ?? 0, totalBytes: rows.bytes },
      stateBytes: differingStateBytes(state),
    };
    return { check, kernels: [...arm.kernels], chainKernels: [...lockstep.kernels], switches: chain.switches, notes: chain.notes, threads: lockstep.threads, isa: lockstep.isa };
  } finally {
    sessions.close();
  }
}
