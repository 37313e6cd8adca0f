// What a drafter takes over from the run that it drafts for.
import type { DrafterInfo, Switches } from '../types';

/**
 * Those of the target's switches that the drafter has as well. No draft changes a greedy text, but a sampled one: what is drawn depends on the drafter's probabilities, so
 * an exact run wants an exact drafter.
 */
export function draftSwitches({ switches: known }: Pick<DrafterInfo, 'switches'>, switches: Switches): Switches {
  return Object.fromEntries(Object.entries(switches).filter(([name]) => known.some((one) => one.name === name)));
}
