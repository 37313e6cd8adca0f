// The noise floor needs a second, equivalent way to add up the same sums. Which switch gives one depends on what the arm runs.
import type { ModelInfo, Switches } from '../types';

export interface OtherOrder {
  readonly switches: Switches;
  /** "matmul qmv against exact" */
  readonly describes: string;
}

/** How a report names the two orders of its noise floor. */
export const ordersText = (order: OtherOrder | null): string => order?.describes ?? 'the engine offers no second reduction order';

/**
 * Per switch and value of the arm a value that computes the same function with the same contract (fp32 sums of the same products), only in another order.
 * For `qmm` the partner is `exact` too: it keeps more of a weight than qmm does, which makes the floor wider, never narrower.
 */
const partners: readonly { readonly name: string; readonly of: Readonly<Record<string, string>> }[] = [
  { name: 'matmul', of: { auto: 'exact', qmv: 'exact', qmm: 'exact', exact: 'qmv' } },
  { name: 'attention', of: { per_position: 'exact', batched: 'exact', exact: 'per_position' } },
];

/** The other order for an arm with these (resolved) switches, every op that has a partner at once; null when the engine offers none. */
export function otherOrder(info: ModelInfo, switches: Switches): OtherOrder | null {
  const changes = partners.flatMap(({ name, of }) => {
    const now = String(switches[name] ?? '');
    const other = of[now];
    const offered = info.switches.find((one) => one.name === name)?.values ?? [];
    return other !== undefined && offered.includes(other) ? [{ name, now, other }] : [];
  });
  if (changes.length === 0) return null;
  return {
    switches: { ...switches, ...Object.fromEntries(changes.map(({ name, other }) => [name, other])) },
    describes: changes.map(({ name, now, other }) => `${name} ${now} against ${other}`).join(', '),
  };
}
