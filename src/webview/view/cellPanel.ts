// The taps of the selected cell in data order: equal until the first that differs.
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import type { Selection } from '../../shared/viewProtocol';
import { button } from '../controls';
import { percent, share } from '../model/numbers';
import { bisectGrid } from '../model/bisectGrid';
import { differingCells } from '../model/grid';
import { tapList, type TapRow } from '../model/tapList';
import { cellInWords, kindWords, positionInWords } from '../model/words';
import { code, element, muted, whenChanged, type Part } from './dom';
import { differsMark } from './icons';
import { bar, table, type Column } from './table';

export interface CellInput {
  readonly run: BisectRun;
  readonly selection: Selection;
}

export interface CellEvents {
  readonly choose: (tap: number) => void;
  /** Next (1) or previous (-1) differing cell. */
  readonly step: (step: 1 | -1) => void;
  readonly leave: () => void;
}

export interface CellPanel extends Part<CellInput> {
  readonly focus: () => void;
}

export function cellPanel(events: CellEvents): CellPanel {
  const node = element('section', { class: 'cell-panel', attributes: { 'aria-label': 'Taps of the selected cell' } });
  const previous = button('‹ Previous', () => events.step(-1));
  const next = button('Next ›', () => events.step(1));
  previous.title = 'Previous differing cell (p)';
  next.title = 'Next differing cell (n)';
  const steps = element('div', { class: 'actions' }, previous, next);
  const draw = whenChanged<CellInput>(
    ({ run, selection }) => [run, selection.row, selection.position],
    ({ run, selection }) => {
      steps.hidden = differingCells(bisectGrid(run)).length === 0;
      node.replaceChildren(heading(run, selection, steps), ...content(run, selection, events));
    },
  );
  node.addEventListener('keydown', (event) => moveFocus(node, event, events));
  return {
    node,
    update(input) {
      draw(input);
      markChosen(node, input.selection.tap);
    },
    focus: () => (node.querySelector<HTMLElement>('tr.chosen button') ?? node.querySelector<HTMLElement>('tbody button'))?.focus(),
  };
}

function heading(run: BisectRun, { row, position }: Selection, steps: HTMLElement): HTMLElement {
  const mapRow = run.rows[row];
  const kind = mapRow && mapRow.label !== kindWords[mapRow.kind].name ? ` · ${kindWords[mapRow.kind].name}` : '';
  return element(
    'header',
    { class: 'panel-header' },
    element('div', {}, element('h2', {}, mapRow?.label ?? '', muted(kind)), element('p', { class: 'muted' }, positionInWords(run, position))),
    steps,
  );
}

function content(run: BisectRun, { row, position }: Selection, events: CellEvents): HTMLElement[] {
  const taps = tapList(run, row, position);
  const words = cellInWords(run, row, position);
  const summary = element('p', { class: 'cell-summary' }, words.slice(words.indexOf(': ') + 2));
  if (taps.length === 0) return [summary, element('p', { class: 'empty' }, 'The report names no taps for this row.')];
  const first = taps.findIndex((tap) => tap.differing >= 0);
  const rowClass = (tap: TapRow, i: number): string => (tap.differing < 0 ? 'equal' : i === first ? 'differs first' : 'differs');
  return [summary, table({ caption: `Taps of ${words}`, columns: columns(first, events), rows: taps, rowClass })];
}

function columns(first: number, { choose }: CellEvents): readonly Column<TapRow>[] {
  return [
    { title: 'Tap', heads: true, cell: (tap, i) => tapName(tap, i === first, choose) },
    { title: 'Bytes', number: true, cell: (tap) => (tap.differing < 0 ? muted('equal') : bytesOf(tap)) },
    { title: 'Max ULP', number: true, cell: (tap) => (tap.differing < 0 ? null : formatCount(tap.maxUlp)) },
    { title: 'Rel. L2', number: true, cell: (tap) => (tap.differing < 0 ? null : formatFloat(tap.relL2, 3)) },
  ];
}

function bytesOf(tap: TapRow): HTMLElement {
  const part = share(tap.differingBytes, tap.bytes);
  return bar(part, percent(part), `${formatCount(tap.differingBytes)} of ${formatCount(tap.bytes)} bytes`);
}

function tapName(tap: TapRow, first: boolean, choose: (tap: number) => void): HTMLElement {
  const differs = tap.differing >= 0;
  const name = differs ? element('button', { class: 'plain', attributes: { 'data-tap': tap.differing } }, tap.tap) : element('span', {}, tap.tap);
  if (differs) name.addEventListener('click', () => choose(tap.differing));
  return element('span', { class: 'tap-name' }, differsMark(differs), name, first && element('span', { class: 'tag' }, 'first'), kernelsOf(tap));
}

function kernelsOf({ kernel }: TapRow): HTMLElement | null {
  if (!kernel) return null;
  const same = kernel.a === kernel.b;
  return element('span', { class: same ? 'kernels same muted' : 'kernels' }, code(kernel.a), !same && ' | ', !same && code(kernel.b));
}

function markChosen(node: HTMLElement, tap: number): void {
  for (const made of node.querySelectorAll<HTMLElement>('button[data-tap]')) {
    const chosen = made.dataset['tap'] === String(tap);
    made.setAttribute('aria-pressed', String(chosen));
    made.closest('tr')?.classList.toggle('chosen', chosen);
  }
}

/** Up and down walk over the taps that differ, Escape goes back to the map. */
function moveFocus(node: HTMLElement, event: KeyboardEvent, events: CellEvents): void {
  if (event.key === 'Escape') {
    events.leave();
    return;
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const taps = [...node.querySelectorAll<HTMLElement>('button[data-tap]')];
  const at = taps.findIndex((tap) => tap === document.activeElement);
  const to = taps[at + step];
  if (step === 0 || at < 0 || !to) return;
  event.preventDefault();
  to.focus();
}
