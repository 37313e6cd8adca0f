// Zoom by button and key, and where in the map one is.
import { formatCount } from '../../../shared/format';
import { button, textField } from '../../controls';
import { found } from '../../model/find';
import type { Cell, Grid } from '../../model/grid';
import { wholeSight, zoomed, type Sight, type Span } from '../../model/span';
import { element, type Part } from '../dom';

interface ZoomInput {
  readonly grid: Grid;
  readonly selected: Cell;
  readonly sight: Sight | null;
}

/** One press shows half, or twice as much. */
const step = 2;
/** A map of fewer positions than this needs no buttons. */
const offeredFrom = 64;

/** Around the selected cell, where it is in sight. */
function zoomedBy(factor: number, { grid, selected, sight }: ZoomInput): Sight {
  const { rows, positions } = sight ?? wholeSight(grid.rows.length, grid.positions);
  const share = (selected.position + 0.5 - positions.from) / positions.size;
  return { rows, positions: zoomed(positions, factor, share >= 0 && share <= 1 ? share : 0.5, grid.positions) };
}

/** Null for a key that zooms nothing. */
export function zoomedByKey(key: string, input: ZoomInput): Sight | null {
  if (key === '+' || key === '=') return zoomedBy(1 / step, input);
  if (key === '-') return zoomedBy(step, input);
  return key === '0' ? wholeSight(input.grid.rows.length, input.grid.positions) : null;
}

const spanInWords = ({ from, size }: Span, count: number, unit: string, called = 0): string => `${unit} ${formatCount(called + from)} to ${formatCount(called + from + size - 1)} of ${formatCount(count)}`;

function sightInWords({ grid, sight }: ZoomInput): string {
  if (sight === null) return '';
  const rows = sight.rows.size < grid.rows.length ? `, ${spanInWords(sight.rows, grid.rows.length, 'rows')}` : '';
  return spanInWords(sight.positions, grid.positions, 'positions', grid.from) + rows;
}

export interface ToolEvents {
  readonly look: (sight: Sight) => void;
  readonly choose: (cell: Cell) => void;
}

export function zoomTools({ look, choose }: ToolEvents): Part<ZoomInput> {
  let input: ZoomInput | null = null;
  const press = (key: string) => (): void => {
    const sight = input && zoomedByKey(key, input);
    if (sight) look(sight);
  };
  const buttons = [button('Zoom in', press('+')), button('Zoom out', press('-')), button('Fit', press('0'))];
  const titles = ['Show half as many positions, around the selected cell (+)', 'Show twice as many positions (-)', 'Show all of the map (0)'];
  buttons.forEach((made, i) => (made.title = titles[i] ?? ''));
  const words = element('span', { class: 'muted' });
  const find = findField((text) => {
    const cell = input && found(input.grid, input.selected, text);
    if (cell) choose(cell);
    return cell !== null;
  });
  const node = element('div', { class: 'map-tools' }, ...buttons, find, words);
  return {
    node,
    update(next) {
      input = next;
      node.hidden = next.sight === null && Math.max(next.grid.positions, next.grid.rows.length) < offeredFrom;
      words.textContent = next.sight === null ? 'Drag over the map to zoom, Ctrl and the wheel as well' : sightInWords(next);
    },
  };
}

/** A text and Enter lead to a cell; what is not there is said below the field. */
function findField(go: (text: string) => boolean): HTMLElement {
  let text = '';
  const missing = element('span', { class: 'find-missing', attributes: { role: 'status' } });
  const field = textField({ label: 'Go to', placeholder: 'Go to layer 7, pos 96, a name', hideLabel: true }, (value) => {
    text = value;
    missing.textContent = '';
  });
  field.node.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || text.trim() === '') return;
    event.preventDefault();
    missing.textContent = go(text) ? '' : 'Not found';
  });
  return element('span', { class: 'find' }, field.node, missing);
}
