// Zoom by button and key, and where in the map one is.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../../shared/format';
import { button, textField } from '../../controls';
import { found, rangeInWords } from '../../model/find';
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
/** A map of fewer positions and rows than this shows all there is at once, large enough. */
const offeredFrom = 24;

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

/** Where it begins and ends, and of how many. */
const figures = ({ from, size }: Span, count: number, called = 0): string[] => [called + from, called + from + size - 1, count].map(formatCount);

function sightInWords({ grid, sight }: ZoomInput): string {
  if (sight === null) return '';
  const positions = l10n.t('positions {0} to {1} of {2}', ...figures(sight.positions, grid.positions, grid.from));
  return sight.rows.size < grid.rows.length ? [positions, l10n.t('rows {0} to {1} of {2}', ...figures(sight.rows, grid.rows.length))].join(', ') : positions;
}

export interface ToolEvents {
  readonly look: (sight: Sight) => void;
  /** `named`: what was looked for. */
  readonly choose: (cell: Cell, named: string) => void;
}

export function zoomTools({ look, choose }: ToolEvents): Part<ZoomInput> {
  let input: ZoomInput | null = null;
  const press = (key: string) => (): void => {
    const sight = input && zoomedByKey(key, input);
    if (sight) look(sight);
  };
  const buttons = [button(l10n.t('Zoom in'), press('+')), button(l10n.t('Zoom out'), press('-')), button(l10n.t('Fit'), press('0'))];
  const titles = [l10n.t('Show half as many positions, around the selected cell (+)'), l10n.t('Show twice as many positions (-)'), l10n.t('Show all of the map (0)')];
  buttons.forEach((made, i) => (made.title = titles[i] ?? ''));
  const words = element('span', { class: 'muted' });
  let before = '';
  const find = findField((text) => {
    if (input === null) return '';
    const cell = found(input.grid, input.selected, text, text === before);
    before = text;
    if (cell) choose(cell, text);
    return cell ? '' : l10n.t('Not found. {0}.', rangeInWords(input.grid));
  });
  const node = element('div', { class: 'map-tools' }, ...buttons, find.node, words);
  return {
    node,
    update(next) {
      input = next;
      find.example(exampleOf(next.grid));
      node.hidden = next.sight === null && Math.max(next.grid.positions, next.grid.rows.length) < offeredFrom;
      words.textContent = next.sight === null ? l10n.t('Drag over the map to zoom, Ctrl and the wheel as well') : sightInWords(next);
    },
  };
}

/** What one could ask for on this map. */
const exampleOf = ({ rows }: Grid): string => (rows.some(({ label }) => label.startsWith('layer ')) ? l10n.t('Go to layer 7, pos 96, a name') : l10n.t('Go to pos 96, a text'));

interface FindField {
  readonly node: HTMLElement;
  readonly example: (text: string) => void;
}

/** A text and Enter lead to a cell; `go` says why not, which is told beside the field. */
function findField(go: (text: string) => string): FindField {
  let text = '';
  const missing = element('span', { class: 'find-missing', attributes: { role: 'status' } });
  const field = textField({ label: l10n.t('Go to'), placeholder: '', hideLabel: true }, (value) => {
    text = value;
    missing.textContent = '';
  });
  field.node.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || text.trim() === '') return;
    event.preventDefault();
    missing.textContent = go(text);
  });
  return { node: element('span', { class: 'find' }, field.node, missing), example: (words) => field.node.setAttribute('placeholder', words) };
}
