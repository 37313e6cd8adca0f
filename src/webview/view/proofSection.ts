// What makes the numbers of a run worth believing: repeats, observation, noise floor.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { amount } from '../model/amount';
import { element, type Child } from './dom';
import { proofMark } from './icons';
import type { SectionOptions } from './section';

const repeats = ({ noise }: BisectRun): boolean => noise.repeatDifferingBytes === 0;
const unperturbed = ({ captureDifferingBytes: { a, b } }: BisectRun): boolean => a === 0 && b === 0;
const finite = ({ nonFinite: { a, b } }: BisectRun): boolean => a === 0 && b === 0;

export const proofSection: SectionOptions<BisectRun> = {
  name: 'proof',
  title: l10n.t('Noise and capture'),
  open: true,
  summary: (run) => (repeats(run) && unperturbed(run) ? l10n.t('repeats are equal, observing changed nothing') : l10n.t('look at what does not hold')),
  draw: (run) => [element('ul', { class: 'proofs' }, proof(repeats(run), repeatText(run)), proof(unperturbed(run), captureText(run)), proof(finite(run), finiteText(run)), floor(run))],
};

const proof = (holds: boolean, text: string): HTMLElement => element('li', {}, proofMark(holds), element('span', {}, text));

function repeatText(run: BisectRun): string {
  return repeats(run) ? l10n.t('Arm A run twice gave the same bytes everywhere.') : amount(run.noise.repeatDifferingBytes, l10n.t('Arm A run twice gave {0} other byte: it does not repeat itself.'), l10n.t('Arm A run twice gave {0} other bytes: it does not repeat itself.'));
}

function captureText(run: BisectRun): string {
  const { a, b } = run.captureDifferingBytes;
  if (unperturbed(run)) return l10n.t('Observing changed nothing: passes with and without taps gave the same logit bytes in both arms.');
  return l10n.t('Observing changed what was observed: {0} logit bytes in A and {1} in B differ between passes with and without taps. Trust the verdict, not the place.', formatCount(a), formatCount(b));
}

const values = (count: number): string => amount(count, l10n.t('{0} value'), l10n.t('{0} values'));

function finiteText(run: BisectRun): string {
  const { a, b } = run.nonFinite;
  return finite(run) ? l10n.t('Every value is finite.') : l10n.t('NaN or infinity: {0} in A, {1} in B.', values(a), values(b));
}

function floor({ noise }: BisectRun): Child {
  const size = formatFloat(noise.floor);
  const words = noise.orders === '' ? l10n.t('Noise floor {0}: largest change of a logit between equivalent reduction orders.', size) : l10n.t('Noise floor {0}: largest change of a logit between equivalent reduction orders ({1}).', size, noise.orders);
  return element('li', {}, element('span', { class: 'mark', attributes: { 'aria-hidden': 'true' } }, '±'), element('span', {}, words));
}
