// A drafter as a report holds it.
import type { DrafterFacts } from '../../shared/results/parity';
import { quantisationText } from '../provenance';
import type { DrafterInfo, Switches } from '../types';

export function drafterFacts(info: DrafterInfo, switches: Switches): DrafterFacts {
  const { path, family, fingerprint, blockSize, dtype, parameters, taps } = info;
  return { path, family, fingerprint, blockSize, dtype, quantisation: quantisationText(info), parameters, taps: [...taps], switches: { ...switches } };
}
