// The heat map: layers x positions. Cells and marks lie on two canvases, so that the pointer moves marks only. Keys and screen readers meet it as a grid with one cell: the selected one.
import type { BisectRun } from '../../shared/report';
import type { Selection } from '../../shared/viewProtocol';
import { cellValues, logScale, measureWords, type Measure } from '../model/measures';
import { moved } from '../model/navigation';
import { cellAt, plotOf, type Cell, type Plot } from '../model/plot';
import { cellInWords } from '../model/words';
import { onThemeChange, readPalette, type Palette } from '../theme';
import { element, svg, whenChanged, type Part } from './dom';
import { drawAxes, gutterOf, margin, type Gutter } from './heatMapAxes';
import { paintCells, paintMarks, type Picture } from './heatMapPaint';
import { hoverCard } from './hoverCard';
import { legend } from './legend';

export interface MapInput {
  readonly run: BisectRun;
  readonly selection: Selection;
}

export interface MapEvents {
  readonly choose: (cell: Cell) => void;
  /** Enter on a cell: on to its taps. */
  readonly enter: () => void;
}

const maxHeight = 560;

export function heatMap(events: MapEvents): Part<MapInput> {
  const view = new HeatMap(events);
  return { node: view.node, update: (input) => view.update(input) };
}

class HeatMap {
  private readonly cells = element('canvas', { class: 'map-cells', attributes: { 'aria-hidden': 'true' } });
  private readonly marks = element('canvas', { class: 'map-marks', attributes: { 'aria-hidden': 'true' } });
  private readonly axes = svg('svg', { class: 'map-axes', attributes: { 'aria-hidden': 'true' } });
  private readonly card = hoverCard();
  private readonly current = element('div', { attributes: { role: 'gridcell', id: 'map-current', 'aria-selected': 'true' } });
  private readonly grid = element(
    'div',
    { class: 'map-grid', attributes: { role: 'grid', tabindex: 0, 'aria-activedescendant': 'map-current', 'aria-keyshortcuts': 'ArrowUp ArrowDown ArrowLeft ArrowRight Home End Enter n p f' } },
    this.axes,
    this.cells,
    this.marks,
    element('div', { class: 'reader-only', attributes: { role: 'row' } }, this.current),
    this.card.node,
  );
  private readonly spoken = element('p', { class: 'reader-only', attributes: { 'aria-live': 'polite' } });
  private readonly legend = element('div', { class: 'legend' });
  readonly node = element('div', { class: 'map' }, this.grid, this.spoken, this.legend);

  private input: MapInput | null = null;
  private picture: Picture | null = null;
  private palette: Palette | null = null;
  private gutter: Gutter = { left: 0, top: 0 };
  private hovered: Cell | null = null;
  private frame = 0;
  readonly update: (input: MapInput) => void;

  constructor(private readonly events: MapEvents) {
    const draw = whenChanged<MapInput>(({ run, selection }) => [run, selection.measure], () => this.draw());
    const mark = whenChanged<MapInput>(({ run, selection }) => [run, selection.row, selection.position], (input) => this.showSelected(input));
    this.update = (input) => {
      this.input = input;
      draw(input);
      mark(input);
    };
    this.listen();
  }

  private listen(): void {
    let width = 0;
    new ResizeObserver(([entry]) => {
      if (!entry || Math.round(entry.contentRect.width) === width) return;
      width = Math.round(entry.contentRect.width);
      this.draw();
    }).observe(this.node);
    window.addEventListener('resize', () => this.draw());
    onThemeChange(() => {
      this.palette = null;
      this.draw();
    });
    this.grid.addEventListener('pointermove', (event) => this.hover(event));
    this.grid.addEventListener('pointerleave', () => this.leave());
    this.grid.addEventListener('click', (event) => {
      const cell = this.cellUnder(event);
      if (cell) this.events.choose(cell);
    });
    this.grid.addEventListener('keydown', (event) => this.press(event));
  }

  private press(event: KeyboardEvent): void {
    if (!this.input || event.altKey || event.metaKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      this.events.enter();
      return;
    }
    const to = moved(this.input.run, this.input.selection, { key: event.key, ctrl: event.ctrlKey });
    if (!to) return;
    event.preventDefault();
    this.leave();
    this.events.choose({ row: to.row, position: to.position });
  }

  /** All that depends on run, measure, size or theme. */
  private draw(): void {
    const width = this.node.clientWidth;
    if (!this.input || width === 0) return;
    const { run, selection } = this.input;
    this.palette ??= readPalette();
    this.gutter = gutterOf(run.rows, width);
    const plot = plotOf(run.rows.length, run.cells.positions, { width: Math.max(40, width - this.gutter.left - margin), maxHeight });
    this.picture = pictureOf(run, selection.measure, plot);
    paintCells(this.cells, this.picture, this.palette, devicePixelRatio);
    drawAxes(this.axes, run, plot, this.gutter);
    this.place();
    this.legend.replaceChildren(...legend(run, selection.measure, this.picture.values, this.picture.scale, this.palette).filter((child) => child !== null && child !== false));
    this.drawMarks();
  }

  private place(): void {
    const { left, top } = this.gutter;
    this.cells.style.left = `${left}px`;
    this.cells.style.top = `${top}px`;
    this.marks.style.left = `${left - margin}px`;
    this.marks.style.top = `${top - margin}px`;
  }

  private drawMarks(): void {
    this.frame = 0;
    if (!this.input || !this.picture || !this.palette) return;
    const { run, selection } = this.input;
    const marks = { first: run.first, selected: selection, hovered: this.hovered };
    paintMarks(this.marks, this.picture.plot, marks, this.palette, { ratio: devicePixelRatio, margin });
  }

  private drawMarksSoon(): void {
    this.frame ||= requestAnimationFrame(() => this.drawMarks());
  }

  private showSelected({ run, selection }: MapInput): void {
    const words = cellInWords(run, selection.row, selection.position);
    const { grid, current } = this;
    grid.setAttribute('aria-label', `Heat map, ${run.rows.length} rows by ${run.cells.positions} positions, ${measureWords[selection.measure].describes}`);
    grid.setAttribute('aria-rowcount', String(run.rows.length));
    grid.setAttribute('aria-colcount', String(run.cells.positions));
    current.parentElement?.setAttribute('aria-rowindex', String(selection.row + 1));
    current.setAttribute('aria-colindex', String(selection.position + 1));
    current.textContent = words;
    if (document.activeElement === grid) this.spoken.textContent = words;
    this.drawMarksSoon();
  }

  private cellUnder(event: MouseEvent): Cell | null {
    if (!this.picture) return null;
    const box = this.cells.getBoundingClientRect();
    return cellAt(this.picture.plot, this.picture.values, event.clientX - box.left, event.clientY - box.top);
  }

  private hover(event: PointerEvent): void {
    const cell = this.cellUnder(event);
    if (!cell || !this.input || !this.picture) {
      this.leave();
      return;
    }
    if (this.hovered?.row === cell.row && this.hovered.position === cell.position) return;
    this.hovered = cell;
    const { plot } = this.picture;
    const x = this.gutter.left + (cell.position + 1) * plot.cellWidth;
    const y = this.gutter.top + (cell.row + 1) * plot.cellHeight;
    this.card.show(this.input.run, cell, x, y);
    this.drawMarksSoon();
  }

  private leave(): void {
    if (!this.hovered) return;
    this.hovered = null;
    this.card.hide();
    this.drawMarksSoon();
  }
}

function pictureOf(run: BisectRun, measure: Measure, plot: Plot): Picture {
  const values = cellValues(run, measure);
  return { plot, values, measure, scale: logScale(values, measure) };
}
