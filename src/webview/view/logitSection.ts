// Logits per position: bytes, greedy choices, and how far best and second best lie apart against the noise floor.
import { formatCount, formatFloat, plural } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { percent, ranges, share } from '../model/numbers';
import { argmaxDiffers, logitBytes, otherChoices } from '../model/words';
import { code, element, muted, type Child } from './dom';
import type { SectionOptions } from './section';
import { bar, table, type Column } from './table';

export const logitSection: SectionOptions<BisectRun> = {
  name: 'logits',
  title: 'Logits per position',
  open: true,
  summary: (run) => `${plural(logitBytes(run), 'byte')} differ · ${otherChoices(run) === 0 ? 'all greedy choices agree' : plural(otherChoices(run), 'greedy choice differs', 'greedy choices differ')}`,
  draw: (run) => [note(run), table({ caption: 'Logits per position', columns: columns(run), rows: run.logits.differingBytes.map((_, position) => position), rowClass: (position) => rowClass(run, position), page: 32 })],
};

function note(run: BisectRun): HTMLElement {
  const floor = `Noise floor ${formatFloat(run.noise.floor)}: a greedy choice whose margin lies within it may fall either way.`;
  const other = run.logits.argmaxA.flatMap((_, position) => (argmaxDiffers(run, position) ? [position] : []));
  return element('p', { class: 'muted' }, floor, other.length > 0 && element('span', { class: 'emphasis' }, ` Another choice at ${other.length === 1 ? 'position' : 'positions'} ${ranges(other)}.`));
}

const rowClass = (run: BisectRun, position: number): string => (argmaxDiffers(run, position) ? 'differs first' : (run.logits.differingBytes[position] ?? 0) > 0 ? 'differs' : 'equal');

function columns(run: BisectRun): readonly Column<number>[] {
  const { logits } = run;
  return [
    { title: 'Position', heads: true, number: true, cell: (p) => element('span', { attributes: { title: `absolute ${run.promptIds.length + p}` } }, String(p)) },
    { title: 'Bytes', number: true, cell: (p) => bytes(logits.differingBytes[p] ?? 0, logits.bytes) },
    { title: 'Max ULP', number: true, cell: (p) => ifDiffers(run, p, formatCount(logits.maxUlp[p] ?? 0)) },
    { title: 'Max |A − B|', number: true, cell: (p) => ifDiffers(run, p, formatFloat(logits.maxAbs[p] ?? 0, 3)) },
    { title: 'Greedy A | B', number: true, cell: (p) => choices(run, p) },
    { title: 'Margin A | B', hint: 'Best minus second-best logit', number: true, cell: (p) => `${formatFloat(logits.marginA[p] ?? 0, 3)} | ${formatFloat(logits.marginB[p] ?? 0, 3)}` },
    { title: '÷ floor', hint: 'Smaller margin divided by the noise floor', number: true, cell: (p) => againstFloor(run, p) },
  ];
}

function bytes(differing: number, all: number): Child {
  const part = share(differing, all);
  return differing === 0 ? muted('equal') : bar(part, percent(part), `${formatCount(differing)} of ${formatCount(all)} bytes`);
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
  if (!(floor > 0)) return muted('no floor');
  const times = `${formatFloat(margin / floor, 2)}×`;
  return margin <= floor ? element('span', { class: 'tag', attributes: { title: 'Within the noise floor' } }, times) : times;
}
