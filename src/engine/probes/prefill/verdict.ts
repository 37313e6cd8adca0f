// Verdict of one prefill comparison: bytes of the last row and of the caches first, then its greedy choice.
import { capitalise, formatCount, formatFloat, plural } from '../../../shared/format';
import type { Noise } from '../../../shared/results/parts';
import type { PrefillRun } from '../../../shared/results/prefill';
import type { Verdict } from '../../../shared/verdict';
import { differingStateBytes } from '../bisectState';
import { within } from '../numbers';

/** `promised`: both sides have to give the same bytes. */
export function decidePrefill(run: Omit<PrefillRun, 'verdict'>, noise: Noise, promised: boolean): Verdict {
  const { logits, state, taps, picture, captureDifferingBytes: observed } = run;
  if (noise.repeatDifferingBytes > 0) return { word: 'defect', sentence: `Not reproducible: the classic prefill run twice differs in ${plural(noise.repeatDifferingBytes, 'byte')}.` };
  const [bytes = 0] = logits.differingBytes;
  const caches = differingStateBytes(state);
  const perturbed = observed.a + observed.b === 0 ? '' : ` Observing changed ${plural(observed.a + observed.b, 'logit byte')}, so the place is not to be trusted.`;
  if (bytes + caches + taps.length === 0) return { word: 'equal', sentence: `Both prefills give the same bytes: 0 of ${formatCount(logits.bytes)} of the last row's logits, 0 of all caches and no row of any tap differ.${perturbed}` };
  const amount = `${formatCount(bytes)} of ${formatCount(logits.bytes)} logit bytes of the last row and ${plural(caches, 'cache byte')} differ`;
  const promise = promised ? ' These two have to give equal bytes.' : '';
  const [a, b, gap] = [logits.argmaxA[0] ?? 0, logits.argmaxB[0] ?? 0, logits.gapA[0] ?? 0];
  if (a === b) return { word: promised ? 'defect' : 'drift', sentence: `${amount}; the greedy choice after the prompt agrees. ${picture}${promise}${perturbed}` };
  const tie = within(gap, noise.floor);
  const choice = `after the prompt classic prefill chooses ${a}, the other ${b}, ${formatFloat(gap)} apart against a noise floor of ${formatFloat(noise.floor)}`;
  return { word: tie && !promised ? 'tie' : 'defect', sentence: `${capitalise(choice)}. ${amount}. ${picture}${promise}${perturbed}` };
}
