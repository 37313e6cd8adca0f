// The elements around the first difference of a tap: bits and value, A beside B.
import { formatCount, formatFloat, plural } from '../../shared/format';
import type { BisectRun, Tile } from '../../shared/report';
import { pairsOf, type Element, type ElementPair } from '../model/elements';
import { indexOf, kernelOf } from '../model/runIndex';
import type { CellInput } from './cellPanel';
import { code, element, muted, whenChanged, type Part } from './dom';
import { table, type Column } from './table';

export function tilePanel(): Part<CellInput> {
  const node = element('section', { class: 'tile-panel', attributes: { 'aria-label': 'Elements of the selected tap' } });
  const draw = ({ run, selection: { tap } }: CellInput): void => {
    node.replaceChildren(...(tap < 0 ? [empty('Every compared element of this cell is equal: there is no difference to show.')] : content(run, tap)));
    showFirst(node);
  };
  return { node, update: whenChanged(({ run, selection }) => [run, selection.tap, selection.row, selection.position], draw) };
}

const empty = (text: string): HTMLElement => element('p', { class: 'empty' }, text);

function content(run: BisectRun, tap: number): HTMLElement[] {
  const tile = run.tiles[run.differing.tile[tap] ?? -1];
  return [heading(run, tap, tile), tile ? elements(tile, run.differing.firstIndex[tap] ?? -1) : firstOnly(run, tap)];
}

function heading(run: BisectRun, tap: number, tile: Tile | undefined): HTMLElement {
  const { differing } = run;
  const name = differing.tap[tap] ?? '';
  const kernel = kernelOf(indexOf(run), run.rows[differing.row[tap] ?? -1]?.layer ?? -2, name);
  const counts = `${formatCount(differing.differingElements[tap] ?? 0)} of ${plural(differing.elements[tap] ?? 0, 'element')} differ`;
  const first = `first at ${formatCount(differing.firstIndex[tap] ?? 0)}`;
  const most = `max |A − B| ${formatFloat(differing.maxAbs[tap] ?? 0, 3)}`;
  return element(
    'header',
    { class: 'panel-header' },
    element(
      'div',
      {},
      element('h2', {}, name, tile ? muted(` ${tile.dtype} [${tile.shape.join(', ')}]`) : null),
      element('p', { class: 'muted' }, [counts, first, most].join(' · ')),
      kernel ? element('p', { class: 'muted' }, 'A ', code(kernel.a), ' · B ', code(kernel.b)) : null,
    ),
  );
}

function firstOnly(run: BisectRun, tap: number): HTMLElement {
  const { firstIndex, firstA, firstB, firstUlp } = run.differing;
  const values = `A ${formatFloat(firstA[tap] ?? 0, 9)}, B ${formatFloat(firstB[tap] ?? 0, 9)}, ${formatCount(firstUlp[tap] ?? 0)} ULP apart`;
  return element('div', {}, element('p', {}, `Element ${firstIndex[tap]}: ${values}.`), empty('No tile of this tap was kept in the report: tiles are kept for the first taps that differ.'));
}

function elements(tile: Tile, first: number): HTMLElement {
  const pairs = pairsOf(tile);
  const rowClass = (pair: ElementPair): string => (pair.index === first ? 'differs first' : pair.differs ? 'differs' : '');
  return element('div', { class: 'tile-scroll', attributes: { tabindex: 0, role: 'region', 'aria-label': 'Elements' } }, table({ caption: 'Elements around the first difference', columns: columns(tile), rows: pairs, rowClass, page: 1024 }));
}

function columns(tile: Tile): readonly Column<ElementPair>[] {
  const several = tile.shape.length > 1;
  return [
    { title: 'Element', heads: true, number: true, cell: (pair) => element('span', {}, formatCount(pair.index), several && pair.at.length > 0 && muted(` [${pair.at.join(', ')}]`)) },
    { title: 'A bits', hint: 'Most significant digit first', cell: ({ a, b }) => digits(a, b) },
    { title: 'A value', number: true, cell: ({ a }) => code(a.value) },
    { title: 'B bits', hint: 'Most significant digit first', cell: ({ a, b }) => digits(b, a) },
    { title: 'B value', number: true, cell: ({ b }) => code(b.value) },
    { title: 'ULP', number: true, cell: (pair) => (pair.differs ? ulpText(pair.ulp) : muted('=')) },
  ];
}

const ulpText = (ulp: bigint | null): string => (ulp === null ? '—' : ulp.toLocaleString('en-US'));

/** Bits with the digits set off that the other arm has otherwise. */
function digits({ bits }: Element, other: Element): HTMLElement {
  const node = element('code', { class: 'bits' });
  for (let i = 0; i < bits.length; i++) {
    const digit = bits.charAt(i);
    const last = node.lastElementChild;
    const kind = digit === other.bits[i] ? 'same' : 'other';
    if (last?.className === kind) last.append(digit);
    else node.append(element('span', { class: kind }, digit));
  }
  return node;
}

/** The first difference stands in view, with a few elements before it. */
function showFirst(node: HTMLElement): void {
  const scroll = node.querySelector<HTMLElement>('.tile-scroll');
  const row = node.querySelector<HTMLElement>('tr.first');
  if (scroll && row) scroll.scrollTop = row.offsetTop - 4 * row.offsetHeight;
}
