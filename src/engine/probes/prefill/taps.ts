// Where two prefills part: taps of the whole prompt, first by the hashes of their rows (nothing is held), then the first ones byte by byte.
import { greatest } from '../../../shared/extremes';
import type { PrefillTap, TapMap } from '../../../shared/results/prefill';
import { partitionOf, runPiece, runPrefill, type PrefillPlan } from '../../speculative/prefill';
import type { Call, DiffPair, Engine, Model, Step, Switches, TapHash, TensorDiff } from '../../types';
import { larger, round } from '../numbers';
import type { Sessions } from '../sessions';
import { tapMap, type ComparedTap } from './tapMap';

/** Taps that are counted byte by byte. */
const measuredTaps = 12;

export interface TapArm {
  readonly switches: Switches;
  readonly plan: PrefillPlan;
}

export interface TapContext {
  readonly engine: Engine;
  readonly model: Model;
  readonly sessions: Sessions;
  readonly promptIds: readonly number[];
  readonly call: Call;
}

/** Row hashes of one tap over the whole prompt. */
interface Hashed {
  readonly layer: number;
  readonly tap: string;
  readonly rows: string[];
}

interface Captured {
  readonly taps: readonly Hashed[];
  readonly last: Step;
}

const keyOf = ({ layer, tap }: { layer: number; tap: string }): string => `${layer}.${tap}`;

async function hashed({ model, sessions, promptIds, call }: TapContext, { switches, plan }: TapArm): Promise<Captured> {
  const session = await sessions.fresh(model, switches, call);
  const found = new Map<string, Hashed>();
  const add = ({ layer, tap, rowHashes }: TapHash): void => {
    const known = found.get(keyOf({ layer, tap })) ?? { layer, tap, rows: [] };
    // One by one: a prompt has more rows than a call takes arguments.
    for (const hash of rowHashes) known.rows.push(hash);
    found.set(keyOf({ layer, tap }), known);
  };
  const last = await runPrefill(session, [promptIds], plan, { ...call, taps: ['*'], capture: 'hash' }, (step) => {
    for (const one of step.hashes) add(one);
    return Promise.resolve();
  });
  return { taps: [...found.values()], last };
}

interface Compared extends ComparedTap {
  readonly tap: string;
}

function compared(a: readonly Hashed[], b: readonly Hashed[]): Compared[] {
  const others = new Map(b.map((one) => [keyOf(one), one.rows]));
  return a.map(({ layer, tap, rows }) => {
    const other = others.get(keyOf({ layer, tap }));
    // A row that the other arm does not have differs.
    return { layer, tap, differs: rows.map((hash, row) => other?.[row] !== hash) };
  });
}

function differingTap({ layer, tap, differs }: Compared): PrefillTap[] {
  const differingRows = differs.filter(Boolean).length;
  return differingRows === 0 ? [] : [{ layer, tap, rows: differs.length, differingRows, firstRow: differs.indexOf(true), measured: null }];
}

export interface TapFindings {
  readonly compared: number;
  readonly taps: readonly PrefillTap[];
  readonly map: TapMap | null;
  readonly last: readonly [Step, Step];
}

/** Every tap of both arms. The caller closes the two last steps. */
export async function compareTaps(context: TapContext, a: TapArm, b: TapArm): Promise<TapFindings> {
  const [left, right] = [await hashed(context, a), await hashed(context, b)];
  const all = compared(left.taps, right.taps);
  const taps = all.flatMap(differingTap);
  const samePieces = a.plan.partition === b.plan.partition;
  const measured = samePieces ? await measure(context, a, b, taps.slice(0, measuredTaps)) : [];
  return { compared: all.length, taps: [...measured, ...taps.slice(measured.length)], map: tapMap(context.model.info, context.promptIds.length, all), last: [left.last, right.last] };
}

/** Counts of the first differing taps; both arms run the prompt in the same pieces, side by side, so that only one piece is held. */
async function measure(context: TapContext, a: TapArm, b: TapArm, taps: readonly PrefillTap[]): Promise<PrefillTap[]> {
  const { engine, model, sessions, promptIds, call } = context;
  if (taps.length === 0) return [];
  const names = taps.map(keyOf);
  const arms = [
    { arm: a, session: await sessions.fresh(model, a.switches, call) },
    { arm: b, session: await sessions.fresh(model, b.switches, call) },
  ];
  const found = taps.map((): TensorDiff[] => []);
  for (const [from, to] of partitionOf(promptIds.length, a.plan.partition)) {
    const steps: Step[] = [];
    try {
      for (const { arm, session } of arms) steps.push(await runPiece(session, [promptIds.slice(from, to)], arm.plan, { ...call, taps: names, logits: 'last' }));
      const pairs = taps.map((tap) => pairOf(tap, steps));
      const diffs = await engine.diff(pairs.flat(), call);
      for (const [i, pair] of pairs.entries()) for (const diff of diffs.splice(0, pair.length)) found[i]?.push(diff);
    } finally {
      for (const step of steps) step.close();
    }
  }
  return taps.map((tap, i) => ({ ...tap, measured: summed(found[i] ?? []) }));
}

function pairOf({ layer, tap }: PrefillTap, steps: readonly Step[]): DiffPair[] {
  const [a, b] = steps.map(({ taps }) => taps.find((one) => one.layer === layer && one.tap === tap)?.tensor);
  return a === undefined || b === undefined ? [] : [{ a, b }];
}

function summed(diffs: readonly TensorDiff[]): PrefillTap['measured'] {
  const total = (which: 'bytes' | 'differingBytes'): number => diffs.reduce((sum, diff) => sum + diff[which], 0);
  const relL2 = diffs.reduce<TensorDiff['relL2']>((worst, diff) => larger(worst, diff.relL2), 0);
  return { bytes: total('bytes'), differingBytes: total('differingBytes'), maxUlp: greatest([0, ...diffs.map(({ maxUlp }) => maxUlp)]), relL2: round(relL2) };
}
