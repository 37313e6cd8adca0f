// The whole map, small, with a frame around what is in sight. Dragging moves the frame; by key the map itself moves it.
import { plotOf, type Plot } from '../../model/plot';
import { fitted, type Sight } from '../../model/span';
import { element, svg } from '../dom';
import { Painter, type Picture } from './paint';

export const minimapHeight = 44;

export interface MinimapInput {
  readonly picture: Picture;
  readonly rows: number;
  /** Null: all of it is in sight, and the minimap is hidden. */
  readonly sight: Sight | null;
  readonly width: number;
  readonly left: number;
  readonly ratio: number;
}

export class Minimap {
  private readonly painter = new Painter(element('canvas', { class: 'minimap-cells' }));
  private readonly frame = svg('rect', { class: 'minimap-frame' });
  private readonly over = svg('svg', { class: 'minimap-over' }, this.frame);
  readonly node = element('div', { class: 'minimap', attributes: { 'aria-hidden': 'true' } }, this.painter.canvas, this.over);
  private input: MinimapInput | null = null;
  private painted: { readonly picture: Picture; readonly width: number; readonly ratio: number } | null = null;

  constructor(look: (sight: Sight) => void) {
    this.node.hidden = true;
    this.node.addEventListener('pointerdown', (event) => {
      this.node.setPointerCapture(event.pointerId);
      this.move(event, look);
    });
    this.node.addEventListener('pointermove', (event) => this.node.hasPointerCapture(event.pointerId) && this.move(event, look));
  }

  update(input: MinimapInput): void {
    this.input = input;
    this.node.hidden = input.sight === null;
    if (input.sight === null) return;
    const plot = this.plot(input);
    this.node.style.marginLeft = `${input.left}px`;
    this.node.style.width = `${plot.width}px`;
    this.node.style.height = `${plot.height}px`;
    this.paint(input, plot);
    const { rows, positions } = input.sight;
    const box = { x: positions.from * plot.cellWidth, y: rows.from * plot.cellHeight, width: Math.max(3, positions.size * plot.cellWidth), height: Math.max(3, rows.size * plot.cellHeight) };
    for (const [name, value] of Object.entries(box)) this.frame.setAttribute(name, String(value));
    this.over.setAttribute('width', String(plot.width));
    this.over.setAttribute('height', String(plot.height));
  }

  /** The cells stay while only the frame moves. */
  private paint({ picture, width, ratio }: MinimapInput, plot: Plot): void {
    if (this.painted?.picture === picture && this.painted.width === width && this.painted.ratio === ratio) return;
    this.painter.paint(picture, plot, ratio);
    this.painted = { picture, width, ratio };
  }

  private plot({ picture, rows, width }: MinimapInput): Plot {
    return plotOf(rows, picture.positions, { width, maxHeight: minimapHeight });
  }

  /** What is in sight, with its middle at the pointer. */
  private move(event: PointerEvent, look: (sight: Sight) => void): void {
    if (!this.input?.sight) return;
    const { rows, positions } = this.input.sight;
    const plot = this.plot(this.input);
    const box = this.node.getBoundingClientRect();
    look({
      rows: fitted({ from: (event.clientY - box.top) / plot.cellHeight - rows.size / 2, size: rows.size }, this.input.rows),
      positions: fitted({ from: (event.clientX - box.left) / plot.cellWidth - positions.size / 2, size: positions.size }, this.input.picture.positions),
    });
  }
}
