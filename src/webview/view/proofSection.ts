// What makes the numbers of a run worth believing: repeats, observation, noise floor.
import { formatCount, formatFloat, plural } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { element, type Child } from './dom';
import { proofMark } from './icons';
import type { SectionOptions } from './section';

const repeats = ({ noise }: BisectRun): boolean => noise.repeatDifferingBytes === 0;
const unperturbed = ({ captureDifferingBytes: { a, b } }: BisectRun): boolean => a === 0 && b === 0;
const finite = ({ nonFinite: { a, b } }: BisectRun): boolean => a === 0 && b === 0;

export const proofSection: SectionOptions<BisectRun> = {
  name: 'proof',
  title: 'Noise and capture',
  open: true,
  summary: (run) => (repeats(run) && unperturbed(run) ? 'repeats are equal, observing changed nothing' : 'look at what does not hold'),
  draw: (run) => [element('ul', { class: 'proofs' }, proof(repeats(run), repeatText(run)), proof(unperturbed(run), captureText(run)), proof(finite(run), finiteText(run)), floor(run))],
};

const proof = (holds: boolean, text: string): HTMLElement => element('li', {}, proofMark(holds), element('span', {}, text));

function repeatText(run: BisectRun): string {
  return repeats(run) ? 'Arm A run twice gave the same bytes everywhere.' : `Arm A run twice gave ${plural(run.noise.repeatDifferingBytes, 'other byte')}: it does not repeat itself.`;
}

function captureText(run: BisectRun): string {
  const { a, b } = run.captureDifferingBytes;
  if (unperturbed(run)) return 'Observing changed nothing: passes with and without taps gave the same logit bytes in both arms.';
  return `Observing changed what was observed: ${formatCount(a)} logit bytes in A and ${formatCount(b)} in B differ between passes with and without taps. Trust the verdict, not the place.`;
}

function finiteText(run: BisectRun): string {
  const { a, b } = run.nonFinite;
  return finite(run) ? 'Every value is finite.' : `NaN or infinity: ${plural(a, 'value')} in A, ${plural(b, 'value')} in B.`;
}

function floor({ noise }: BisectRun): Child {
  return element('li', {}, element('span', { class: 'mark', attributes: { 'aria-hidden': 'true' } }, '±'), element('span', {}, `Noise floor ${formatFloat(noise.floor)}: largest change of a logit between equivalent reduction orders${noise.orders === '' ? '' : ` (${noise.orders})`}.`));
}
