// A drafter as a report holds it.
import type { DrafterFacts } from '../../shared/results/parity';
import { quantisationText } from '../provenance';
import { draftSwitches } from '../speculative/draftSwitches';
import type { Call, Drafter, Switches } from '../types';

/** `given`: switches of the target, as the experiment has them. Opens a draft session to learn how the drafter resolves its own. */
export async function drafterFacts(drafter: Drafter, given: Switches, call: Call): Promise<DrafterFacts> {
  const { path, family, fingerprint, blockSize, dtype, parameters, taps } = drafter.info;
  const draft = await drafter.open(draftSwitches(drafter.info, given), call);
  const { switches } = draft;
  draft.close();
  return { path, family, fingerprint, blockSize, dtype, quantisation: quantisationText(drafter.info), parameters, taps: [...taps], switches: { ...switches } };
}
