// Stretches of a request in which the drafter was right never, or nearly always: a drafter that lost its state, or a text that repeats itself.
import type { Counts } from './capture';

/** Rounds that a window holds, and the share of accepted drafts from which it counts as nearly all. */
export const windowRounds = 16;
export const nearlyAll = 0.95;

export const stretchDefinition = `A window is ${windowRounds} consecutive rounds that drafted something. It is flagged where none of its drafts was accepted (0 %), or at least ${nearlyAll * 100} % of them (about 100 %). Flagged windows that touch are one stretch.`;

export type StretchKind = 'none' | 'nearly all';

export interface Stretch {
  readonly kind: StretchKind;
  /** Places in the list of rounds, from the first to the last, both inside. */
  readonly from: number;
  readonly to: number;
  readonly accepted: number;
  readonly drafted: number;
}

const kindOf = (accepted: number, drafted: number): StretchKind | null => (accepted === 0 ? 'none' : accepted >= nearlyAll * drafted ? 'nearly all' : null);

/** Null: nothing can be said, since the log does not give accepted and drafted counts of every round. */
export function stretchesOf({ accepted, drafted }: Pick<Counts, 'accepted' | 'drafted'>): Stretch[] | null {
  if (accepted === null || drafted?.length !== accepted.length) return null;
  const places: number[] = [];
  for (const [i, drafts] of drafted.entries()) if (drafts > 0) places.push(i);
  const at = (list: readonly number[], place: number): number => list[places[place] ?? -1] ?? 0;
  const found: Stretch[] = [];
  let [right, all] = [0, 0];
  for (let last = 0; last < places.length; last += 1) {
    right += at(accepted, last);
    all += at(drafted, last);
    const first = last - windowRounds + 1;
    if (first < 0) continue;
    const kind = kindOf(right, all);
    if (kind !== null) extend(found, { kind, from: places[first] ?? 0, to: places[last] ?? 0 });
    right -= at(accepted, first);
    all -= at(drafted, first);
  }
  return found.map((stretch) => ({ ...stretch, ...totals(accepted, drafted, stretch) }));
}

type Span = Pick<Stretch, 'kind' | 'from' | 'to'>;

/** Windows come in order, so only the last stretch can touch the next one. */
function extend(found: Stretch[], window: Span): void {
  const last = found.at(-1);
  if (last?.kind === window.kind && window.from <= last.to + 1) found[found.length - 1] = { ...last, to: window.to };
  else found.push({ ...window, accepted: 0, drafted: 0 });
}

function totals(accepted: readonly number[], drafted: readonly number[], { from, to }: Span): Pick<Stretch, 'accepted' | 'drafted'> {
  let [right, all] = [0, 0];
  for (let i = from; i <= to; i += 1) {
    right += accepted[i] ?? 0;
    all += drafted[i] ?? 0;
  }
  return { accepted: right, drafted: all };
}

/** The stretch that the round at this place is in. Stretches are in order and few cover each other, so a search by halves is exact enough to start from. */
export function stretchAt(stretches: readonly Stretch[], place: number): Stretch | null {
  let [low, high] = [0, stretches.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((stretches[middle]?.to ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  const found = stretches[low];
  return found !== undefined && found.from <= place ? found : null;
}
