// Where two prefills part: taps of the whole prompt, first by the hashes of their rows (nothing is held), then the first ones byte by byte.
import type { PrefillTap } from '../../../shared/results/prefill';
import { runPrefill, type PrefillPlan } from '../../speculative/prefill';
import type { Call, DiffPair, Engine, Model, Session, Step, Switches, Tap, TapHash } from '../../types';
import { larger, round } from '../numbers';
import type { Sessions } from '../sessions';

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

interface Captured<T> {
  readonly taps: readonly T[];
  readonly last: Step;
  readonly session: Session;
}

const keyOf = ({ layer, tap }: { layer: number; tap: string }): string => `${layer}.${tap}`;

async function hashed({ model, sessions, promptIds, call }: TapContext, { switches, plan }: TapArm): Promise<Captured<Hashed>> {
  const session = await sessions.fresh(model, switches, call);
  const found = new Map<string, Hashed>();
  const add = ({ layer, tap, rowHashes }: TapHash): void => {
    const known = found.get(keyOf({ layer, tap })) ?? { layer, tap, rows: [] };
    known.rows.push(...rowHashes);
    found.set(keyOf({ layer, tap }), known);
  };
  const last = await runPrefill(session, [promptIds], plan, { ...call, taps: ['*'], capture: 'hash' }, (step) => {
    for (const one of step.hashes) add(one);
    return Promise.resolve();
  });
  return { taps: [...found.values()], last, session };
}

function differing(a: readonly Hashed[], b: readonly Hashed[]): PrefillTap[] {
  const others = new Map(b.map((one) => [keyOf(one), one.rows]));
  return a.flatMap(({ layer, tap, rows }) => {
    const other = others.get(keyOf({ layer, tap }));
    // The last rows of a logits tap and of a prompt in pieces are as many as were asked for; only what both have can be compared.
    const differs = rows.map((hash, row) => other?.[row] !== hash);
    const differingRows = differs.filter(Boolean).length;
    return differingRows === 0 ? [] : [{ layer, tap, rows: rows.length, differingRows, firstRow: differs.indexOf(true), measured: null }];
  });
}

/** One arm's taps of these names, piece by piece. */
async function bytes({ model, sessions, promptIds, call }: TapContext, { switches, plan }: TapArm, names: readonly string[]): Promise<{ piece: number; from: number; taps: readonly Tap[]; close: () => void }[]> {
  const session = await sessions.fresh(model, switches, call);
  const pieces: { piece: number; from: number; taps: readonly Tap[]; close: () => void }[] = [];
  await runPrefill(session, [promptIds], plan, { ...call, taps: names }, (step, from) => {
    pieces.push({ piece: pieces.length, from, taps: step.taps, close: () => step.close() });
    return Promise.resolve();
  });
  return pieces;
}

export interface TapFindings {
  readonly compared: number;
  readonly taps: readonly PrefillTap[];
  readonly last: readonly [Step, Step];
}

/** Every tap of both arms. The caller closes the two last steps. */
export async function compareTaps(context: TapContext, a: TapArm, b: TapArm): Promise<TapFindings> {
  const [left, right] = [await hashed(context, a), await hashed(context, b)];
  const taps = differing(left.taps, right.taps);
  const samePieces = a.plan.partition === b.plan.partition;
  const measured = samePieces ? await measure(context, a, b, taps.slice(0, measuredTaps)) : [];
  return { compared: left.taps.length, taps: [...measured, ...taps.slice(measured.length)], last: [left.last, right.last] };
}

/** Counts of the first differing taps; both arms run the prompt in the same pieces. */
async function measure(context: TapContext, a: TapArm, b: TapArm, taps: readonly PrefillTap[]): Promise<PrefillTap[]> {
  if (taps.length === 0) return [];
  const names = taps.map(keyOf);
  const arms = [await bytes(context, a, names), await bytes(context, b, names)] as const;
  try {
    const pairs = taps.map((tap) => pairsOf(tap, ...arms));
    const diffs = await context.engine.diff(pairs.flat(), context.call);
    return taps.map((tap, i): PrefillTap => {
      const own = diffs.splice(0, pairs[i]?.length ?? 0);
      const total = (which: 'bytes' | 'differingBytes'): number => own.reduce((sum, diff) => sum + diff[which], 0);
      const relL2 = own.reduce<(typeof own)[number]['relL2']>((worst, diff) => larger(worst, diff.relL2), 0);
      return { ...tap, measured: { bytes: total('bytes'), differingBytes: total('differingBytes'), maxUlp: Math.max(0, ...own.map(({ maxUlp }) => maxUlp)), relL2: round(relL2) } };
    });
  } finally {
    for (const piece of arms.flat()) piece.close();
  }
}

type Pieces = Awaited<ReturnType<typeof bytes>>;

function pairsOf({ layer, tap }: PrefillTap, a: Pieces, b: Pieces): DiffPair[] {
  const of = (piece: Pieces[number] | undefined): Tap | undefined => piece?.taps.find((one) => one.layer === layer && one.tap === tap);
  return a.flatMap((piece, i) => {
    const [left, right] = [of(piece), of(b[i])];
    return left === undefined || right === undefined ? [] : [{ a: left.tensor, b: right.tensor }];
  });
}
