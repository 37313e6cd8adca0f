// Draws cells on a canvas in device pixels. Knows colours and rectangles, no events.
import { notCompared, otherChoice, type LogScale, type Measure } from '../model/measures';
import { binsOf, gravestCell, type Bin, type Cell, type Plot } from '../model/plot';
import type { Palette } from '../theme';

export interface Picture {
  readonly plot: Plot;
  readonly values: Float64Array;
  readonly measure: Measure;
  readonly scale: LogScale;
}

/** Cells from this size on stand apart by a gap of one CSS pixel. */
const gapFrom = 5;

export function colourOf(value: number, { measure, scale }: Pick<Picture, 'measure' | 'scale'>, palette: Palette): string {
  if (value === notCompared) return palette.notCompared;
  if (value === 0) return palette.equal;
  if (measure === 'argmax') return value === otherChoice ? palette.otherChoice : palette.sameChoice;
  return palette.ramp[Math.round(scale.at(value) * (palette.ramp.length - 1))] ?? palette.foreground;
}

/** Size the bitmap to whole device pixels; CSS keeps the size in CSS pixels. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): CanvasRenderingContext2D | null {
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return canvas.getContext('2d');
}

export function paintCells(canvas: HTMLCanvasElement, picture: Picture, palette: Palette, ratio: number): void {
  const { plot, values } = picture;
  const context = fitCanvas(canvas, plot.width, plot.height, ratio);
  if (!context || plot.rows === 0 || plot.positions === 0) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  const gap = { x: plot.cellWidth >= gapFrom ? Math.round(ratio) : 0, y: plot.cellHeight >= gapFrom ? Math.round(ratio) : 0 };
  const columns = binsOf(plot.positions, canvas.width);
  for (const rows of binsOf(plot.rows, canvas.height)) {
    const colours = columns.map((column) => colourOf(gravestCell(values, plot.positions, rows, column).value, picture, palette));
    paintRow(context, rows, columns, colours, gap);
  }
}

interface Gap {
  readonly x: number;
  readonly y: number;
}

/** Neighbours of one colour become one rectangle where no gap parts them. */
function paintRow(context: CanvasRenderingContext2D, rows: Bin, columns: readonly Bin[], colours: readonly string[], gap: Gap): void {
  for (let i = 0; i < columns.length; ) {
    let j = i + 1;
    while (gap.x === 0 && j < columns.length && colours[j] === colours[i]) j++;
    const from = columns[i]?.from ?? 0;
    const to = columns[j - 1]?.to ?? from;
    context.fillStyle = colours[i] ?? '';
    context.fillRect(from, rows.from, Math.max(1, to - from - gap.x), Math.max(1, rows.to - rows.from - gap.y));
    i = j;
  }
}

export interface Marks {
  readonly first: Cell | null;
  readonly selected: Cell | null;
  readonly hovered: Cell | null;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A cell's box, never smaller than can be seen. */
export function boxOf(plot: Plot, { row, position }: Cell, least = 7): Box {
  const gap = { x: plot.cellWidth >= gapFrom ? 1 : 0, y: plot.cellHeight >= gapFrom ? 1 : 0 };
  const width = Math.max(plot.cellWidth - gap.x, least);
  const height = Math.max(plot.cellHeight - gap.y, least);
  const x = position * plot.cellWidth + (Math.max(0, plot.cellWidth - gap.x) - width) / 2;
  const y = row * plot.cellHeight + (Math.max(0, plot.cellHeight - gap.y) - height) / 2;
  return { x, y, width, height };
}

/** Marks lie on a canvas of their own with a margin around the plot, so that moving the pointer draws no cell again. */
export function paintMarks(canvas: HTMLCanvasElement, plot: Plot, marks: Marks, palette: Palette, { ratio, margin }: { ratio: number; margin: number }): void {
  const context = fitCanvas(canvas, plot.width + 2 * margin, plot.height + 2 * margin, ratio);
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, margin * ratio, margin * ratio);
  if (marks.hovered) crosshair(context, plot, boxOf(plot, marks.hovered, 1), palette);
  if (marks.first) pin(context, boxOf(plot, marks.first), palette);
  if (marks.selected) {
    const box = boxOf(plot, marks.selected);
    ring(context, box, 3, 4, palette.background);
    ring(context, box, 2, 2, palette.focus);
  }
}

function ring(context: CanvasRenderingContext2D, { x, y, width, height }: Box, out: number, line: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = line;
  const half = out - line / 2;
  context.strokeRect(x - half, y - half, width + 2 * half, height + 2 * half);
}

function crosshair(context: CanvasRenderingContext2D, plot: Plot, { x, y, width, height }: Box, palette: Palette): void {
  context.globalAlpha = 0.12;
  context.fillStyle = palette.foreground;
  context.fillRect(0, y, plot.width, height);
  context.fillRect(x, 0, width, plot.height);
  context.globalAlpha = 1;
  ring(context, { x, y, width, height }, 1, 1, palette.foreground);
}

/** The first divergence: a ring, and a wedge above the column and before the row that stay visible however small the cell is. */
function pin(context: CanvasRenderingContext2D, box: Box, palette: Palette): void {
  ring(context, box, 2, 4, palette.background);
  ring(context, box, 1.5, 1.5, palette.foreground);
  const column = box.x + box.width / 2;
  const row = box.y + box.height / 2;
  wedge(context, [column, -2], [column - 5, -10], [column + 5, -10], palette);
  wedge(context, [-2, row], [-10, row - 5], [-10, row + 5], palette);
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
