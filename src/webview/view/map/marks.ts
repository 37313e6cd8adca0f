// Marks over the cells: what is pointed at, selected, brushed, and where the arms part. On a canvas of their own, so that moving the pointer draws no cell again.
import { signFrom } from '../../model/export/signs';
import type { Cell, Grid, Sign } from '../../model/grid';
import { clamp } from '../../model/numbers';
import type { Plot } from '../../model/plot';
import type { Palette } from '../../theme';
import { fitCanvas, gapFrom } from './paint';

export interface Marks {
  readonly first: Cell | null;
  readonly selected: Cell | null;
  readonly hovered: Cell | null;
  /** A rectangle that is being drawn, in pixels of the plot. */
  readonly brush: Box | null;
  readonly texts: CellTexts | null;
}

/** Of a timeline's cells; null for other maps. */
export interface CellTexts {
  readonly rows: Grid['rows'];
  readonly text: (cell: Cell) => string;
  /** As of the tokens of a grid. */
  readonly room: (cell: Cell) => number | null;
  readonly sign: (cell: Cell) => Sign | null;
  /** Whether dark letters are the readable ones on a cell. */
  readonly dark: (cell: Cell) => boolean;
  readonly font: string;
  /** Width of a cell from which on it has room for a letter or two. */
  readonly from: number;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Room around the plot that the pin of the first divergence needs. */
export const margin = 12;

/** A cell's box, never smaller than can be seen. It lies out of the plot where the cell is out of sight. */
export function boxOf(plot: Plot, { row, position }: Cell, least = 7): Box {
  const { sight, cellWidth, cellHeight } = plot;
  const gap = { x: cellWidth >= gapFrom ? 1 : 0, y: cellHeight >= gapFrom ? 1 : 0 };
  const width = Math.max(cellWidth - gap.x, least);
  const height = Math.max(cellHeight - gap.y, least);
  const x = (position - sight.positions.from) * cellWidth + (Math.max(0, cellWidth - gap.x) - width) / 2;
  const y = (row - sight.rows.from) * cellHeight + (Math.max(0, cellHeight - gap.y) - height) / 2;
  return { x, y, width, height };
}

const inSight = ({ sight: { rows, positions } }: Plot, { row, position }: Cell): boolean =>
  row >= rows.from && row < rows.from + rows.size && position >= positions.from && position < positions.from + positions.size;

export function paintMarks(canvas: HTMLCanvasElement, plot: Plot, marks: Marks, palette: Palette, ratio: number): void {
  const context = fitCanvas(canvas, plot.width + 2 * margin, plot.height + 2 * margin, ratio);
  if (!context) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio, 0, 0, ratio, margin * ratio, margin * ratio);
  if (marks.texts) write(context, plot, marks.texts);
  if (marks.hovered) crosshair(context, plot, boxOf(plot, marks.hovered, 1), palette);
  if (marks.first) pin(context, plot, marks.first, palette);
  if (marks.selected && inSight(plot, marks.selected)) {
    const box = boxOf(plot, marks.selected);
    ring(context, box, 4, 5, palette.background);
    ring(context, box, 3.5, 2, palette.focus);
    // The colour of the focus may be that of the cells.
    ring(context, box, 1.5, 1.5, palette.foreground);
  }
  if (marks.brush) shade(context, marks.brush, palette);
}

function ring(context: CanvasRenderingContext2D, { x, y, width, height }: Box, out: number, line: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = line;
  const half = out - line / 2;
  context.strokeRect(x - half, y - half, width + 2 * half, height + 2 * half);
}

function shade(context: CanvasRenderingContext2D, box: Box, palette: Palette): void {
  context.globalAlpha = 0.25;
  context.fillStyle = palette.focus;
  context.fillRect(box.x, box.y, box.width, box.height);
  context.globalAlpha = 1;
  ring(context, box, 1, 1, palette.foreground);
}

function crosshair(context: CanvasRenderingContext2D, plot: Plot, { x, y, width, height }: Box, palette: Palette): void {
  context.globalAlpha = 0.12;
  context.fillStyle = palette.foreground;
  context.fillRect(0, y, plot.width, height);
  context.fillRect(x, 0, width, plot.height);
  context.globalAlpha = 1;
  ring(context, { x, y, width, height }, 1, 1, palette.foreground);
}

function write(context: CanvasRenderingContext2D, plot: Plot, { rows, text, room, sign, dark, font, from }: CellTexts): void {
  const { sight, cellWidth, cellHeight } = plot;
  if (cellWidth < signFrom || cellHeight < 14) return;
  const hasText = cellWidth >= from;
  context.font = font;
  context.textBaseline = 'middle';
  for (let row = sight.rows.from; row < Math.min(rows.length, sight.rows.from + sight.rows.size); row++) {
    for (let position = sight.positions.from; position < sight.positions.from + sight.positions.size; position++) {
      const cell = { row, position };
      const { x, y, width, height } = boxOf(plot, cell, 1);
      context.fillStyle = context.strokeStyle = dark(cell) ? '#000' : '#fff';
      drawSign(context, sign(cell), { x, y, width, height });
      const positions = room(cell);
      if (positions === null && !hasText) continue;
      if (positions === null) writeCut(context, text(cell), { x, y, width, height });
      else writeWhole(context, text(cell), { x, y, width, height }, (positions - 1) * cellWidth);
    }
  }
}

/** As much of a token as its cell has room for. */
function writeCut(context: CanvasRenderingContext2D, text: string, { x, y, width, height }: Box): void {
  context.save();
  context.beginPath();
  context.rect(x + 2, y, width - 3, height);
  context.clip();
  context.fillText(text, x + 3, y + height / 2 + 1);
  context.restore();
}

/** A number, to the right end of its cell; `before`: pixels of the cells to its left that it may take. */
function writeWhole(context: CanvasRenderingContext2D, text: string, { x, y, width, height }: Box, before: number): void {
  const wide = context.measureText(text).width;
  if (text !== '' && wide <= width + before - 2) context.fillText(text, x + width - 1 - wide, y + height / 2 + 1);
}

/** A bonus has a dot in its upper corner, a rejected draft is struck out from corner to corner. */
function drawSign(context: CanvasRenderingContext2D, sign: Sign | null, { x, y, width, height }: Box): void {
  if (sign === null) return;
  context.beginPath();
  if (sign === 'bonus') {
    context.arc(x + width - 3.5, y + 4, 2, 0, 2 * Math.PI);
    context.fill();
    return;
  }
  context.lineWidth = 1.5;
  context.moveTo(x + width - Math.min(width, height) + 1, y + height - 1);
  context.lineTo(x + width - 1, y + 1);
  context.stroke();
}

/** The first divergence: a ring, and a wedge above the column and before the row that stay visible however small the cell is. Out of sight, a wedge points from the edge to where it lies. */
function pin(context: CanvasRenderingContext2D, plot: Plot, first: Cell, palette: Palette): void {
  const box = boxOf(plot, first);
  if (inSight(plot, first)) {
    ring(context, box, 2, 4, palette.background);
    ring(context, box, 1.5, 1.5, palette.foreground);
  }
  const side = (at: number, size: number): number => (at < 0 ? -1 : at > size ? 1 : 0);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const [left, above] = [side(x, plot.width), side(y, plot.height)];
  pointer(context, [clamp(x, 0, plot.width), -6], left === 0 ? [0, 1] : [left, 0], palette);
  pointer(context, [-6, clamp(y, 0, plot.height)], above === 0 ? [1, 0] : [0, above], palette);
}

/** A wedge around a point, into a direction of length one along an axis. */
function pointer(context: CanvasRenderingContext2D, [x, y]: Point, [dx, dy]: Point, palette: Palette): void {
  const corner = (along: number, across: number): Point => [x + along * dx + across * dy, y + along * dy + across * dx];
  wedge(context, corner(4, 0), corner(-4, -5), corner(-4, 5), palette);
}

type Point = readonly [number, number];

function wedge(context: CanvasRenderingContext2D, tip: Point, left: Point, right: Point, palette: Palette): void {
  context.beginPath();
  context.moveTo(...tip);
  context.lineTo(...left);
  context.lineTo(...right);
  context.closePath();
  context.fillStyle = palette.foreground;
  context.fill();
}
