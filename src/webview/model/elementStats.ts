// How the differences of a tap are spread: over distances, and over heads or stripes of its row.
import * as l10n from '@vscode/l10n';
import type { Heads } from '../../shared/headTaps';
import type { TensorPair } from './tensorPair';

export interface Bucket {
  /** "5 to 8", in ULP. */
  readonly label: string;
  readonly count: number;
}

/** Differing elements by ULP: 1, 2, 3 to 4, 5 to 8, and so on up to the largest; then those that are no distance apart. Empty where nothing differs. */
export function ulpHistogram(pair: TensorPair): readonly Bucket[] {
  const counts: number[] = [];
  let [same, none] = [0, 0];
  for (const index of pair.differing) {
    const ulp = pair.ulp(index);
    if (Number.isNaN(ulp)) none += 1;
    else if (ulp === 0) same += 1;
    else {
      const bucket = bucketOf(ulp);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
  }
  const buckets = Array.from(counts, (count: number | undefined, i): Bucket => ({ label: labelOf(i), count: count ?? 0 }));
  return [...(same > 0 ? [{ label: l10n.t('0 (other sign of zero)'), count: same }] : []), ...buckets, ...(none > 0 ? [{ label: l10n.t('no distance (NaN)'), count: none }] : [])];
}

/** 0 for 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8. */
function bucketOf(ulp: number): number {
  const bucket = Math.ceil(Math.log2(ulp));
  // A logarithm near a power of two may fall on the other side of it.
  return ulp > 2 ** bucket ? bucket + 1 : bucket > 0 && ulp <= 2 ** (bucket - 1) ? bucket - 1 : bucket;
}

const number = (value: number): string => value.toLocaleString('en-US');

function labelOf(bucket: number): string {
  const [from, to] = [bucket === 0 ? 1 : 2 ** (bucket - 1) + 1, 2 ** bucket];
  return from === to ? number(to) : l10n.t('{0} to {1}', number(from), number(to));
}

export interface Group {
  readonly from: number;
  /** Outside. */
  readonly to: number;
  /** Elements of the group that are here. */
  readonly elements: number;
  readonly differing: number;
  /** Flat index, -1 for none. */
  readonly first: number;
  /** NaN where the only differences are no distance apart. */
  readonly maxUlp: number;
  readonly sumA: number;
  readonly sumB: number;
  /** Sum of |A − B|. */
  readonly sumApart: number;
}

const mostStripes = 64;

/** Elements of a stripe where nothing tells heads: a power of two from 32 on, so that there are at most 64 of them. */
export function stripeWidth(total: number): number {
  let width = 32;
  while (total / width > mostStripes) width *= 2;
  return width;
}

/** Sums over pieces of a row, those of which no element is here left out. */
export function groupsOf(pair: TensorPair, width: number): readonly Group[] {
  const { start, total } = pair.source;
  const end = start + pair.count;
  const groups: Group[] = [];
  let next = 0;
  for (let from = Math.floor(start / width) * width; from < end; from += width) {
    const to = Math.min(total, from + width);
    const [first, last] = [Math.max(from, start), Math.min(to, end)];
    const begin = next;
    while (next < pair.differing.length && (pair.differing[next] ?? 0) < last) next += 1;
    groups.push({ from, to, elements: last - first, differing: next - begin, first: next > begin ? (pair.differing[begin] ?? -1) : -1, ...sums(pair, first, last, pair.differing.subarray(begin, next)) });
  }
  return groups;
}

function sums(pair: TensorPair, from: number, to: number, differing: Uint32Array): Pick<Group, 'maxUlp' | 'sumA' | 'sumB' | 'sumApart'> {
  let [sumA, sumB, sumApart] = [0, 0, 0];
  for (let index = from; index < to; index++) {
    const [a, b] = pair.values(index);
    sumA += a;
    sumB += b;
    sumApart += a === b ? 0 : Math.abs(a - b);
  }
  let maxUlp = differing.length === 0 ? 0 : NaN;
  for (const index of differing) {
    const ulp = pair.ulp(index);
    if (!(maxUlp >= ulp) && !Number.isNaN(ulp)) maxUlp = ulp;
  }
  return { sumA, sumB, sumApart, maxUlp };
}

/** How a row is cut: by its heads where they are known, else in stripes. Null for a row that is one piece. */
export function cutOf(pair: TensorPair, heads: Heads | null): { readonly name: 'head' | 'stripe'; readonly width: number } | null {
  if (heads !== null && heads.heads > 1) return { name: 'head', width: heads.width };
  const width = stripeWidth(pair.source.total);
  return width < pair.source.total ? { name: 'stripe', width } : null;
}
