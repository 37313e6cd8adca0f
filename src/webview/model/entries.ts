// The tensors of a diff, filtered and sorted.
import type { DiffEntry, Float } from '../../shared/report';
import type { Arrangement, EntryColumn } from '../store';

export const differs = (entry: DiffEntry): boolean => entry.in !== 'both' || entry.differingBytes > 0 || entry.dtypeA !== entry.dtypeB || entry.shapeA.join() !== entry.shapeB.join();

/** Tensors that exist on one side only, or with another dtype or shape, were not compared by bytes and sort as the gravest. */
const compared = (entry: DiffEntry): boolean => entry.in === 'both' && entry.dtypeA === entry.dtypeB && entry.shapeA.join() === entry.shapeB.join();
export const comparable = compared;

const size = (value: Float): number => (Number.isNaN(Number(value)) ? Infinity : Number(value));

const keys: Readonly<Record<EntryColumn, (entry: DiffEntry) => number | string>> = {
  name: ({ name }) => name,
  dtype: ({ dtypeA, dtypeB }) => `${dtypeA} ${dtypeB}`,
  shape: ({ shapeA, shapeB }) => (shapeA.length > 0 ? shapeA : shapeB).reduce((product, length) => product * length, 1),
  bytes: (entry) => (compared(entry) ? entry.differingBytes / Math.max(1, entry.bytes) : 2),
  maxUlp: (entry) => (compared(entry) ? entry.maxUlp : Infinity),
  maxAbs: (entry) => (compared(entry) ? size(entry.maxAbs) : Infinity),
  relL2: (entry) => (compared(entry) ? size(entry.relL2) : Infinity),
  firstIndex: ({ firstIndex }) => firstIndex,
};

function order(a: number | string, b: number | string): number {
  if (typeof a === 'string' || typeof b === 'string') return String(a).localeCompare(String(b), 'en', { numeric: true });
  return a === b ? 0 : a - b;
}

/** Equal keys keep the order of the file. */
export function arranged(entries: readonly DiffEntry[], { sort, descending, onlyDiffering, filter }: Arrangement): readonly DiffEntry[] {
  const wanted = filter.trim().toLowerCase();
  const key = keys[sort];
  return entries
    .filter((entry) => (!onlyDiffering || differs(entry)) && entry.name.toLowerCase().includes(wanted))
    .toSorted((a, b) => (descending ? order(key(b), key(a)) : order(key(a), key(b))));
}
