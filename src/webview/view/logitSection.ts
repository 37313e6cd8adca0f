// Logits per position: bytes, greedy choices, and how far best and second best lie apart against the noise floor.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { amount } from '../model/amount';
import { percent, ranges, share } from '../model/numbers';
import { argmaxDiffers, logitBytes, otherChoices } from '../model/words';
import { code, element, muted, type Child } from './dom';
import type { SectionOptions } from './section';
import { bar, table, type Column } from './table';

export const logitSection: SectionOptions<BisectRun> = {
  name: 'logits',
  title: l10n.t('Logits per position'),
  open: true,
  summary: (run) => [amount(logitBytes(run), l10n.t('{0} byte differs'), l10n.t('{0} bytes differ')), otherChoices(run) === 0 ? l10n.t('all greedy choices agree') : amount(otherChoices(run), l10n.t('{0} greedy choice differs'), l10n.t('{0} greedy choices differ'))].join(' · '),
  draw: (run) => [note(run), table({ caption: l10n.t('Logits per position'), columns: columns(run), rows: run.logits.differingBytes.map((_, position) => position), rowClass: (position) => rowClass(run, position), page: 32 })],
};

function note(run: BisectRun): HTMLElement {
  const floor = l10n.t('Noise floor {0}: a greedy choice whose margin lies within it may fall either way.', formatFloat(run.noise.floor));
  const other = run.logits.argmaxA.flatMap((_, position) => (argmaxDiffers(run, position) ? [position] : []));
  const places = other.length === 1 ? l10n.t('Another choice at position {0}.', ranges(other)) : l10n.t('Another choice at positions {0}.', ranges(other));
  return element('p', { class: 'muted' }, floor, other.length > 0 && element('span', { class: 'emphasis' }, ' ', places));
}

const rowClass = (run: BisectRun, position: number): string => (argmaxDiffers(run, position) ? 'differs first' : (run.logits.differingBytes[position] ?? 0) > 0 ? 'differs' : 'equal');

function columns(run: BisectRun): readonly Column<number>[] {
  const { logits } = run;
  return [
    { title: l10n.t('Position'), heads: true, number: true, cell: (p) => element('span', { attributes: { title: l10n.t('absolute {0}', run.promptIds.length + p) } }, String(p)) },
    { title: l10n.t('Bytes'), number: true, cell: (p) => bytes(logits.differingBytes[p] ?? 0, logits.bytes) },
    { title: l10n.t('Max ULP'), number: true, cell: (p) => ifDiffers(run, p, formatCount(logits.maxUlp[p] ?? 0)) },
    { title: l10n.t('Max |A − B|'), number: true, cell: (p) => ifDiffers(run, p, formatFloat(logits.maxAbs[p] ?? 0, 3)) },
    { title: l10n.t('Greedy A | B'), number: true, cell: (p) => choices(run, p) },
    { title: l10n.t('Margin A | B'), hint: l10n.t('Best minus second-best logit'), number: true, cell: (p) => `${formatFloat(logits.marginA[p] ?? 0, 3)} | ${formatFloat(logits.marginB[p] ?? 0, 3)}` },
    { title: l10n.t('÷ floor'), hint: l10n.t('Smaller margin divided by the noise floor'), number: true, cell: (p) => againstFloor(run, p) },
  ];
}

function bytes(differing: number, all: number): Child {
  const part = share(differing, all);
  return differing === 0 ? muted(l10n.t('equal')) : bar(part, percent(part), l10n.t('{0} of {1} bytes', formatCount(differing), formatCount(all)));
}

const ifDiffers = (run: BisectRun, position: number, text: string): string | null => ((run.logits.differingBytes[position] ?? 0) > 0 ? text : null);

function choices({ logits }: BisectRun, position: number): Child {
  const [a, b] = [logits.argmaxA[position], logits.argmaxB[position]];
  return a === b ? code(String(a)) : element('span', { class: 'emphasis' }, code(String(a)), ' | ', code(String(b)));
}

/** How often the noise floor goes into the smaller margin. */
function againstFloor({ logits, noise }: BisectRun, position: number): Child {
  const floor = Number(noise.floor);
  const margin = Math.min(Number(logits.marginA[position] ?? 0), Number(logits.marginB[position] ?? 0));
  if (!(floor > 0)) return muted(l10n.t('no floor'));
  const times = `${formatFloat(margin / floor, 2)}×`;
  return margin <= floor ? element('span', { class: 'tag', attributes: { title: l10n.t('Within the noise floor') } }, times) : times;
}
