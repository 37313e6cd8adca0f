// What a drafter takes over from the run that it drafts for.
import type { DrafterInfo, Switches } from '../types';

/** Where and in which dtype it computes: these are one choice for target and drafter. Reduction orders are the target's alone, since no draft changes the text. */
const shared = ['threads', 'isa', 'activations'];

/** Those of the target's switches that the drafter follows. */
export function draftSwitches({ switches: known }: Pick<DrafterInfo, 'switches'>, switches: Switches): Switches {
  return Object.fromEntries(Object.entries(switches).filter(([name]) => shared.includes(name) && known.some((one) => one.name === name)));
}
