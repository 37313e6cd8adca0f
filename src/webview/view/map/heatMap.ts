// The heat map: rows x positions. Cells and marks lie on two canvases, so that the pointer moves marks only. Keys and screen readers meet it as a grid with one cell: the selected one.
import * as l10n from '@vscode/l10n';
import { cut, room } from '../../model/cut';
import type { Cell, Grid, MeasureName } from '../../model/grid';
import { levelsOf, logScale } from '../../model/measures';
import { moved } from '../../model/navigation';
import { cellAt, plotOf, type Plot } from '../../model/plot';
import { wholeSight, type Sight } from '../../model/span';
import { onThemeChange, rampSteps, readPalette, type Palette } from '../../theme';
import { element, whenChanged, type Part } from '../dom';
import { gutterOf, mapAxes, type Gutter } from './axes';
import { hoverCard } from './hoverCard';
import { legend } from './legend';
import { margin, paintMarks, type Box, type CellTexts } from './marks';
import { Minimap } from './minimap';
import { coloursOf, Painter, takesDarkText, type Picture } from './paint';
import { listenToPointer } from './pointer';
import { zoomedByKey, zoomTools } from './zoomTools';

export interface MapInput {
  readonly grid: Grid;
  readonly measure: MeasureName;
  readonly selected: Cell;
  /** Null: all of the map. */
  readonly sight: Sight | null;
}

export interface MapEvents {
  /** `named`: what was looked for and is found there. */
  readonly choose: (cell: Cell, named?: string) => void;
  /** Enter on a cell: on to its taps, where there are any. */
  readonly enter?: () => void;
  readonly look: (sight: Sight) => void;
}

/** Levels of one grid by one measure, in the colours of one theme. */
interface Drawing {
  readonly grid: Grid;
  readonly values: Float64Array;
  readonly picture: Picture;
  readonly texts: CellTexts | null;
}

const noSign = (): null => null;
const cutShort = (): null => null;

const maxHeight = 560;
const largestToken = { width: 72, height: 26 };
/** Widths of a cell that has room for a letter or two, and for a sign. */
const lettersFrom = 18;
const signFrom = 12;
const keys = 'ArrowUp ArrowDown ArrowLeft ArrowRight Home End Enter n p f + - 0';

/** Where a page has several maps. */
export interface MapOptions {
  /** Unlike that of the others. */
  readonly id: string;
  /** What is heard before its size. */
  readonly label: string;
  /** Whether it has buttons of its own for zooming and finding. */
  readonly tools: boolean;
}

export function heatMap(events: MapEvents, options: MapOptions = { id: 'map', label: l10n.t('Heat map'), tools: true }): Part<MapInput> {
  const view = new HeatMap(events, options);
  return { node: view.node, update: (input) => view.update(input) };
}

class HeatMap {
  private readonly painter = new Painter(element('canvas', { class: 'map-cells', attributes: { 'aria-hidden': 'true' } }));
  private readonly marks = element('canvas', { class: 'map-marks', attributes: { 'aria-hidden': 'true' } });
  private readonly axes = mapAxes();
  private readonly card = hoverCard();
  private readonly current = element('div', { attributes: { role: 'gridcell', 'aria-selected': 'true' } });
  private readonly grid = element(
    'div',
    { class: 'map-grid', attributes: { role: 'grid', tabindex: 0, 'aria-keyshortcuts': keys } },
    this.axes.node,
    this.painter.canvas,
    this.axes.boundaries,
    this.marks,
    element('div', { class: 'reader-only', attributes: { role: 'row' } }, this.current),
    this.card.node,
  );
  private readonly spoken = element('p', { class: 'reader-only', attributes: { 'aria-live': 'polite' } });
  private readonly legend = element('div', { class: 'legend' });
  private readonly minimap = new Minimap((sight) => this.events.look(sight));
  private readonly tools = zoomTools({ look: (sight) => this.events.look(sight), choose: (cell, named) => this.events.choose(cell, named) });
  readonly node = element('div', { class: 'map' }, this.tools.node, this.grid, this.minimap.node, this.spoken, this.legend);

  private input: MapInput | null = null;
  private drawing: Drawing | null = null;
  private plot: Plot | null = null;
  private palette: Palette | null = null;
  private gutter: Gutter = { left: 0, top: 0 };
  private hovered: Cell | null = null;
  private brush: Box | null = null;
  private width = 0;
  private frame = 0;
  private stale = false;
  readonly update: (input: MapInput) => void;

  constructor(
    private readonly events: MapEvents,
    private readonly options: MapOptions,
  ) {
    this.current.id = `${options.id}-current`;
    this.grid.setAttribute('aria-activedescendant', this.current.id);
    if (!options.tools) this.tools.node.remove();
    const draw = whenChanged<MapInput>(({ grid, measure }) => [grid, measure], () => this.redraw());
    const look = whenChanged<MapInput>(({ grid, sight }) => [grid, sight], () => this.drawSoon());
    const mark = whenChanged<MapInput>(({ grid, measure, selected }) => [grid, measure, selected.row, selected.position], (input) => this.showSelected(input));
    this.update = (input) => {
      this.input = input;
      draw(input);
      look(input);
      mark(input);
      this.tools.update(input);
    };
    this.listen();
  }

  private listen(): void {
    new ResizeObserver(([entry]) => {
      if (!entry || Math.round(entry.contentRect.width) === this.width) return;
      this.width = Math.round(entry.contentRect.width);
      this.draw();
    }).observe(this.node);
    window.addEventListener('resize', () => this.draw());
    onThemeChange(() => {
      this.palette = null;
      this.redraw();
    });
    listenToPointer(this.grid, this.painter.canvas, {
      plot: () => this.plot && this.input && { plot: this.plot, positions: this.input.grid.positions },
      hover: (x, y) => this.hover(x, y),
      leave: () => this.leave(),
      choose: (x, y) => {
        const cell = this.cellUnder(x, y);
        if (cell) this.events.choose(cell);
      },
      brush: (box) => {
        this.brush = box;
        this.drawMarksSoon();
      },
      look: (sight) => this.events.look(sight),
    });
    this.grid.addEventListener('keydown', (event) => this.press(event));
  }

  private press(event: KeyboardEvent): void {
    if (!this.input || event.altKey || event.metaKey) return;
    const { grid, selected } = this.input;
    const sight = event.ctrlKey ? null : zoomedByKey(event.key, this.input);
    const to = sight ? null : moved(grid, selected, { key: event.key, ctrl: event.ctrlKey });
    if (event.key !== 'Enter' && !sight && !to) return;
    event.preventDefault();
    this.leave();
    if (event.key === 'Enter') this.events.enter?.();
    if (sight) this.events.look(sight);
    if (to) this.events.choose({ row: to.row, position: to.position });
  }

  /** All that depends on grid, measure or theme. */
  private redraw(): void {
    this.drawing = null;
    this.draw();
  }

  /** All that depends on size and on what is in sight as well. */
  private draw(): void {
    // As observed from then on: asking the page would lay it out twice in a frame.
    const width = (this.width ||= this.node.clientWidth);
    if (!this.input || width === 0) return;
    const { grid, sight } = this.input;
    const { rows, positions } = grid;
    const drawing = (this.drawing ??= this.drawingOf(this.input));
    this.gutter = gutterOf(rows, width);
    this.plot = plotOf(rows.length, positions, { width: Math.max(40, width - this.gutter.left - margin), maxHeight, ...(grid.tokens === undefined ? {} : { largest: largestToken }) }, sight ?? wholeSight(rows.length, positions));
    this.painter.paint(drawing.picture, this.plot, devicePixelRatio);
    this.axes.update(grid, this.plot, this.gutter);
    this.place();
    this.minimap.update({ picture: drawing.picture, rows: rows.length, sight, width: this.plot.width, left: this.gutter.left, ratio: devicePixelRatio });
    this.drawMarks();
  }

  private drawingOf({ grid, measure: name }: MapInput): Drawing {
    this.palette ??= readPalette();
    const measure = grid.measures.find((one) => one.name === name) ?? grid.measures[0];
    if (measure === undefined) throw new Error('The map has no measure.');
    const values = grid.values(measure.name);
    const scale = logScale(grid.spread?.(measure.name) ?? values, measure);
    const picture = { levels: levelsOf(values, measure, scale, rampSteps), positions: grid.positions, colours: coloursOf(this.palette, measure) };
    this.legend.replaceChildren(...legend(grid, measure, values, scale, this.palette).filter((child) => child !== null && child !== false));
    return { grid, values, picture, texts: this.textsOf(grid, measure.name, picture) };
  }

  private textsOf({ rows, tokens, sign }: Grid, measure: MeasureName, { levels, positions, colours }: Picture): CellTexts | null {
    const text = sign === undefined ? tokens?.text : (cell: Cell): string => sign(cell, measure);
    if (text === undefined) return null;
    const dark = ({ row, position }: Cell): boolean => takesDarkText(colours[levels[row * positions + position] ?? 0] ?? 0);
    const drawn = tokens?.sign ?? noSign;
    return { rows, text, room: tokens?.room ?? cutShort, sign: drawn, dark, font: `12px ${getComputedStyle(document.body).getPropertyValue('--moire-mono')}`, from: sign === undefined ? lettersFrom : signFrom };
  }

  private place(): void {
    const { left, top } = this.gutter;
    this.painter.canvas.style.left = `${left}px`;
    this.painter.canvas.style.top = `${top}px`;
    this.marks.style.left = `${left - margin}px`;
    this.marks.style.top = `${top - margin}px`;
  }

  /** Several changes of what is in sight between two frames are drawn once. */
  private drawSoon(): void {
    this.stale = true;
    this.drawMarksSoon();
  }

  private drawMarksSoon(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const stale = this.stale;
      this.stale = false;
      if (stale) this.draw();
      else this.drawMarks();
    });
  }

  private drawMarks(): void {
    if (!this.input || !this.plot || !this.palette) return;
    const { grid, selected } = this.input;
    paintMarks(this.marks, this.plot, { first: grid.first, selected, hovered: this.hovered, brush: this.brush, texts: this.drawing?.texts ?? null }, this.palette, devicePixelRatio);
  }

  private showSelected({ grid: shown, measure, selected }: MapInput): void {
    const { grid, current } = this;
    const words = cut(shown.words(selected), room.text);
    const describes = shown.measures.find(({ name }) => name === measure)?.describes ?? '';
    grid.setAttribute('aria-label', l10n.t('{0}, {1} rows by {2} positions, {3}', this.options.label, shown.rows.length, shown.positions, describes));
    grid.setAttribute('aria-rowcount', String(shown.rows.length));
    grid.setAttribute('aria-colcount', String(shown.positions));
    current.parentElement?.setAttribute('aria-rowindex', String(selected.row + 1));
    current.setAttribute('aria-colindex', String(selected.position + 1));
    current.textContent = words;
    if (document.activeElement === grid) this.spoken.textContent = words;
    this.drawMarksSoon();
  }

  private cellUnder(x: number, y: number): Cell | null {
    return this.plot && this.drawing ? cellAt(this.plot, this.drawing.values, this.drawing.grid.positions, x, y) : null;
  }

  private hover(px: number, py: number): void {
    const cell = this.cellUnder(px, py);
    if (!cell || !this.input || !this.plot) {
      this.leave();
      return;
    }
    if (this.hovered?.row === cell.row && this.hovered.position === cell.position) return;
    this.hovered = cell;
    const { sight, cellWidth, cellHeight } = this.plot;
    const x = this.gutter.left + (cell.position + 1 - sight.positions.from) * cellWidth;
    const y = this.gutter.top + (cell.row + 1 - sight.rows.from) * cellHeight;
    this.card.show(this.input.grid, cell, x, y);
    this.drawMarksSoon();
  }

  private leave(): void {
    if (!this.hovered) return;
    this.hovered = null;
    this.card.hide();
    this.drawMarksSoon();
  }
}
