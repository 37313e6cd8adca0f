// Kernel pairs of many layers, one line for each op and pair.
import type { BisectRun } from '../../shared/report';
import { ranges } from './numbers';

export interface KernelGroup {
  readonly op: string;
  readonly a: string;
  readonly b: string;
  /** "0-2, 4-6"; "" for ops outside of the layers. */
  readonly layers: string;
}

/** In data order of the first layer that has the op. */
export function kernelGroups(run: BisectRun): readonly KernelGroup[] {
  const inside = new Set(run.rows.filter(({ kind }) => kind === 'attention' || kind === 'gated_delta').map(({ layer }) => layer));
  const groups = new Map<string, { op: string; a: string; b: string; layers: number[] }>();
  for (const { layer, op, a, b } of run.kernels) {
    const key = JSON.stringify([op, a, b]);
    const group = groups.get(key) ?? { op, a, b, layers: [] };
    groups.set(key, group);
    if (inside.has(layer)) group.layers.push(layer);
  }
  return [...groups.values()].map((group) => ({ ...group, layers: ranges(group.layers) }));
}
