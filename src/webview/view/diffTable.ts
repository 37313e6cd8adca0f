// Two tensor files, tensor by tensor: sortable, filterable.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import type { DiffEntry, DiffReport } from '../../shared/report';
import { checkbox, textField } from '../controls';
import { amount } from '../model/amount';
import { shapeInWords } from '../model/elements';
import { arranged, comparable, differs } from '../model/entries';
import { percent, share } from '../model/numbers';
import type { Arrangement, EntryColumn } from '../store';
import { element, foreign, muted, whenChanged, type Child, type Part } from './dom';
import { differsMark } from './icons';
import { bar, table, type Column } from './table';

export interface DiffInput {
  readonly report: DiffReport;
  readonly arrangement: Arrangement;
}

type Arrange = (arrangement: Partial<Arrangement>) => void;
interface EntryColumns extends Column<DiffEntry> {
  readonly sort: EntryColumn;
}

export function diffTable(arrange: Arrange): Part<DiffInput> {
  const filter = textField({ label: l10n.t('Filter by name'), placeholder: l10n.t('Filter by name'), hideLabel: true }, (text) => arrange({ filter: text }));
  const onlyDiffering = checkbox(l10n.t('Only what differs'), (only) => arrange({ onlyDiffering: only }));
  const count = element('span', { class: 'muted', attributes: { 'aria-live': 'polite' } });
  const body = element('div');
  const node = element('section', { class: 'diff', attributes: { 'aria-label': l10n.t('Tensors') } }, element('div', { class: 'toolbar' }, filter.node, onlyDiffering.node, count), body);
  const draw = whenChanged<DiffInput>(
    ({ report, arrangement }) => [report, arrangement],
    ({ report, arrangement }) => {
      const rows = arranged(report.diff.entries, arrangement);
      count.textContent = l10n.t('{0} of {1}, {2} differ', formatCount(rows.length), amount(report.diff.entries.length, l10n.t('{0} tensor'), l10n.t('{0} tensors')), formatCount(report.diff.entries.filter(differs).length));
      drawTable(body, rows, arrangement, arrange);
    },
  );
  return {
    node,
    update(input) {
      filter.show(input.arrangement.filter);
      onlyDiffering.show(input.arrangement.onlyDiffering);
      draw(input);
    },
  };
}

/** Sorting draws the table again: the heading that was pressed gets the focus back. */
function drawTable(body: HTMLElement, rows: readonly DiffEntry[], arrangement: Arrangement, arrange: Arrange): void {
  const focused = document.activeElement instanceof HTMLElement && body.contains(document.activeElement) ? document.activeElement.dataset['sort'] : undefined;
  const heading = (column: Column<DiffEntry>, i: number): HTMLElement => sortHeading(columns[i] ?? { ...column, sort: 'name' }, arrangement, arrange);
  const made = table<DiffEntry>({ caption: l10n.t('Tensors of both files'), columns, rows, heading, rowClass: (entry) => (differs(entry) ? 'differs' : 'equal') });
  body.replaceChildren(rows.length === 0 ? element('p', { class: 'empty' }, l10n.t('No tensor fits.')) : made);
  if (focused !== undefined) body.querySelector<HTMLElement>(`button[data-sort="${CSS.escape(focused)}"]`)?.focus();
}

function sortHeading({ title, number, sort }: EntryColumns, { sort: sorted, descending }: Arrangement, arrange: Arrange): HTMLElement {
  const active = sort === sorted;
  const press = element('button', { class: 'plain sort', attributes: { 'data-sort': sort } }, title, element('span', { class: 'arrow', attributes: { 'aria-hidden': 'true' } }, active ? (descending ? '▾' : '▴') : ''));
  press.addEventListener('click', () => arrange(active ? { descending: !descending } : { sort, descending: sort !== 'name' && sort !== 'dtype' }));
  return element('th', { class: number === true ? 'number' : '', attributes: { scope: 'col', 'aria-sort': active ? (descending ? 'descending' : 'ascending') : 'none' } }, press);
}

const both = (a: string, b: string, where: DiffEntry['in']): Child => (where === 'a' ? a : where === 'b' ? b : a === b ? a : element('span', { class: 'emphasis' }, `${a} | ${b}`));
const ifCompared = (entry: DiffEntry, text: string): Child => (comparable(entry) && entry.differingBytes > 0 ? text : null);

const columns: readonly EntryColumns[] = [
  { sort: 'name', title: l10n.t('Tensor'), heads: true, cell: (entry) => element('span', { class: 'tap-name' }, differsMark(differs(entry)), foreign(entry.name)) },
  { sort: 'dtype', title: l10n.t('Dtype'), foreign: true, cell: (entry) => both(entry.dtypeA, entry.dtypeB, entry.in) },
  { sort: 'shape', title: l10n.t('Shape'), cell: (entry) => both(shapeInWords(entry.shapeA), shapeInWords(entry.shapeB), entry.in) },
  { sort: 'bytes', title: l10n.t('Bytes'), number: true, cell: bytesOf },
  { sort: 'maxUlp', title: l10n.t('Max ULP'), number: true, cell: (entry) => ifCompared(entry, formatCount(entry.maxUlp)) },
  { sort: 'maxAbs', title: l10n.t('Max |A − B|'), number: true, cell: (entry) => ifCompared(entry, formatFloat(entry.maxAbs, 3)) },
  { sort: 'relL2', title: l10n.t('Rel. L2'), number: true, cell: (entry) => ifCompared(entry, formatFloat(entry.relL2, 3)) },
  { sort: 'firstIndex', title: l10n.t('First element A | B'), number: true, cell: (entry) => ifCompared(entry, `${formatCount(entry.firstIndex)}: ${formatFloat(entry.firstA, 6)} | ${formatFloat(entry.firstB, 6)}`) },
];

function bytesOf(entry: DiffEntry): Child {
  if (entry.in !== 'both') return element('span', { class: 'emphasis' }, entry.in === 'a' ? l10n.t('only in A') : l10n.t('only in B'));
  if (!comparable(entry)) return element('span', { class: 'emphasis' }, l10n.t('not comparable'));
  const part = share(entry.differingBytes, entry.bytes);
  return entry.differingBytes === 0 ? muted(l10n.t('equal')) : bar(part, percent(part), l10n.t('{0} of {1} bytes', formatCount(entry.differingBytes), formatCount(entry.bytes)));
}
