// Which run of one report is held against which of another: that of the same label, else the next that nobody took.
import type { MappedRun } from '../grids';

export interface RunPair {
  readonly a: MappedRun;
  readonly b: MappedRun;
  readonly by: 'label' | 'order';
}

export interface Pairing {
  /** In the order of report A. */
  readonly pairs: readonly RunPair[];
  readonly onlyA: readonly MappedRun[];
  readonly onlyB: readonly MappedRun[];
}

export function pairRuns(a: readonly MappedRun[], b: readonly MappedRun[]): Pairing {
  const free = new Set(b);
  const partners = new Map<MappedRun, RunPair>();
  const take = (one: MappedRun, other: MappedRun | undefined, by: RunPair['by']): void => {
    if (other === undefined) return;
    free.delete(other);
    partners.set(one, { a: one, b: other, by });
  };
  // From the end, so that the first of a label is the last of its list.
  const named = new Map<string, MappedRun[]>();
  for (const other of b.toReversed()) {
    const own = named.get(other.label) ?? [];
    own.push(other);
    named.set(other.label, own);
  }
  for (const one of a) take(one, named.get(one.label)?.pop(), 'label');
  for (const one of a) if (!partners.has(one)) take(one, free.values().next().value, 'order');
  return { pairs: a.flatMap((one) => partners.get(one) ?? []), onlyA: a.filter((one) => !partners.has(one)), onlyB: [...free] };
}
