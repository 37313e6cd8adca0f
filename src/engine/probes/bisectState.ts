// Compares the whole state of two sessions after the same tokens.
import { append } from '../../shared/append';
import { greatest } from '../../shared/extremes';
import type { StateDiff } from '../../shared/report';
import type { Call, Engine, LayerState, ModelInfo, Session, StateTensor, TensorDiff } from '../types';
import { round } from './numbers';

interface Pair {
  readonly layer: number;
  readonly name: string;
  readonly a: StateTensor | null;
  readonly b: StateTensor | null;
}

function pairUp(a: readonly LayerState[], b: readonly LayerState[]): Pair[] {
  const sides = new Map(b.flatMap(({ layer, tensors }) => tensors.map((tensor): [string, StateTensor] => [`${layer}.${tensor.name}`, tensor])));
  const pairs = a.flatMap(({ layer, tensors }) =>
    tensors.map((tensor): Pair => {
      const key = `${layer}.${tensor.name}`;
      const other = sides.get(key) ?? null;
      sides.delete(key);
      return { layer, name: tensor.name, a: tensor, b: other };
    }),
  );
  return [...pairs, ...[...sides].map(([key, b]): Pair => ({ layer: Number(key.split('.')[0]), name: b.name, a: null, b }))];
}

const comparable = ({ a, b }: Pair): boolean => a !== null && b !== null && a.tensor.dtype === b.tensor.dtype && a.tensor.shape.join() === b.tensor.shape.join();

function toReport(pair: Pair, diff: TensorDiff | undefined): StateDiff {
  if (diff !== undefined) {
    const { bytes, differingBytes, maxUlp, relL2, first } = diff;
    return { layer: pair.layer, tensor: pair.name, bytes, differingBytes, maxUlp, relL2: round(relL2), firstIndex: first?.index ?? -1 };
  }
  // Missing on one side, or of another shape: every byte counts as different.
  const bytes = Math.max(pair.a?.tensor.nbytes ?? 0, pair.b?.tensor.nbytes ?? 0);
  return { layer: pair.layer, tensor: pair.name, bytes, differingBytes: bytes, maxUlp: 0, relL2: 'NaN', firstIndex: 0 };
}

/** An entry of its own when the sessions do not stand at the same position, else none. */
function positions(a: Session, b: Session): StateDiff[] {
  if (a.position.join() === b.position.join()) return [];
  const bytes = 8 * Math.max(a.position.length, b.position.length);
  return [{ layer: -1, tensor: 'position', bytes, differingBytes: bytes, maxUlp: 0, relL2: 'NaN', firstIndex: 0 }];
}

/** Copies of both states that are held at once, about; beyond it layers are compared one by one. */
const mostStateBytes = 256 << 20;

/** Keys and values of one session, were all its layers attention in fp32. */
function cacheBytes({ layers, kvHeads, headDim }: ModelInfo, { position }: Session): number {
  return layers.length * 2 * kvHeads * headDim * 4 * greatest(position) * position.length;
}

async function comparePart(engine: Engine, a: Session, b: Session, layer: number | undefined, call: Call): Promise<[Pair, StateDiff][]> {
  const states: LayerState[][] = [];
  try {
    for (const session of [a, b]) states.push(await session.state(layer, call));
    const pairs = pairUp(states[0] ?? [], states[1] ?? []);
    const both = pairs.filter(comparable);
    const diffs = await engine.diff(
      both.flatMap(({ a: left, b: right }) => (left === null || right === null ? [] : [{ a: left.tensor, b: right.tensor }])),
      call,
    );
    const byPair = new Map(both.map((pair, i) => [pair, diffs[i]]));
    return pairs.map((pair) => [pair, toReport(pair, byPair.get(pair))]);
  } finally {
    for (const { tensors } of states.flat()) for (const { tensor } of tensors) tensor.close();
  }
}

/** Every state tensor of both sessions, in the order of the layers; a tensor that only one side has counts as wholly different. */
export async function compareStates(engine: Engine, info: ModelInfo, a: Session, b: Session, call: Call): Promise<StateDiff[]> {
  const parts = 2 * cacheBytes(info, a) <= mostStateBytes ? [undefined] : info.layers.map(({ index }) => index);
  const found: [Pair, StateDiff][] = [];
  for (const layer of parts) append(found, await comparePart(engine, a, b, layer, call));
  const ofB = found.filter(([pair]) => pair.a === null);
  return [...positions(a, b), ...[...found.filter(([pair]) => pair.a !== null), ...ofB].map(([, diff]) => diff)];
}

export function differingStateBytes(state: readonly StateDiff[]): number {
  return state.reduce((sum, { differingBytes }) => sum + differingBytes, 0);
}
