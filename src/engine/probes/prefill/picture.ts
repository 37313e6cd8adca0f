// The picture of two prefills that part, in words: which caches still agree, what differs first, and which cache shows it.
import { formatCount, plural } from '../../../shared/format';
import type { PrefillRun, PrefillTap } from '../../../shared/results/prefill';
import type { StateDiff } from '../../../shared/results/parts';
import type { ModelInfo } from '../../types';

export const firstState = (state: readonly StateDiff[]): StateDiff | null => state.find(({ differingBytes }) => differingBytes > 0) ?? null;

function agreeing(state: readonly StateDiff[], layer: number): string {
  const tensors = state.filter((one) => one.layer === layer).map(({ tensor }) => (tensor === 'k' ? 'K' : tensor === 'v' ? 'V' : tensor));
  return tensors.join(' and ');
}

/** What to look at first, in one paragraph; `info` tells which kind each layer is. */
export function pictureOf({ state, taps }: Pick<PrefillRun, 'state' | 'taps'>, info: ModelInfo): string {
  const cache = firstState(state);
  const [tap] = taps;
  if (cache === null && tap === undefined) return 'Every cache and every tap agree.';
  if (tap === undefined) return `No tap differs, but the cache of layer ${cache?.layer ?? 0} (${cache?.tensor ?? ''}) does.`;
  const parts = `The arms part at ${placeOf(tap, info)}.`;
  if (cache === null) return `${parts} No cache differs: the difference never reaches one.`;
  if (cache.layer <= tap.layer) return `${parts} The first cache that differs is that of layer ${cache.layer} (${cache.tensor}).`;
  const before = tap.layer === 0 ? '' : tap.layer === 1 ? 'Layer 0 agrees. ' : `Layers 0 to ${tap.layer - 1} agree. `;
  const own = agreeing(state, tap.layer);
  const agree = own === '' ? '' : ` ${own} of layer ${tap.layer} agree, its output differs;`;
  return `${before}${parts}${agree} the first cache that differs is that of the next layer reached, ${cache.layer} (${cache.tensor}: ${formatCount(cache.differingBytes)} of ${plural(cache.bytes, 'byte')}).`;
}

function placeOf({ layer, tap, firstRow, differingRows, rows }: PrefillTap, info: ModelInfo): string {
  const kind = info.layers[layer]?.kind;
  const what = layer < 0 ? 'the embedding' : kind === undefined ? 'the head' : `layer ${layer} (${kind === 'attention' ? 'attention' : 'gated delta'})`;
  return `${what} · ${tap}, from token ${formatCount(firstRow)} on (${formatCount(differingRows)} of ${plural(rows, 'row')})`;
}
