// Draws cells on a canvas in device pixels. Knows colours and pixels, no events.
import type { Measure } from '../../model/grid';
import { takesDarkText as readsDark } from '../../model/luminance';
import { level } from '../../model/measures';
import { binsOf, type Bin, type Plot } from '../../model/plot';
import { levelColours, type Palette } from '../../theme';

/** A colour's code a cell, row-major, and the colours of the codes as the canvas takes them. */
export interface Picture {
  readonly levels: Uint8Array;
  readonly positions: number;
  readonly colours: Uint32Array;
}

/** Cells from this size on stand apart by a gap of one CSS pixel. */
export const gapFrom = 5;

/** Sizes the bitmap to whole device pixels; CSS keeps the size in CSS pixels. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): CanvasRenderingContext2D | null {
  const pixels = { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
  if (canvas.width !== pixels.width) canvas.width = pixels.width;
  if (canvas.height !== pixels.height) canvas.height = pixels.height;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return canvas.getContext('2d');
}

/** Colours in the order of bytes that image data has, over a ground for what lets it through. CSS may name a colour in any way, so the browser is asked. */
export function pixelsOf(names: readonly string[], ground?: string): Uint32Array {
  const canvas = document.createElement('canvas');
  canvas.width = names.length;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return new Uint32Array(names.length);
  names.forEach((name, i) => {
    for (const colour of ground === undefined ? [name] : [ground, name]) {
      context.fillStyle = colour;
      context.fillRect(i, 0, 1, 1);
    }
  });
  return new Uint32Array(context.getImageData(0, 0, names.length, 1).data.buffer);
}

/** Of all codes of a measure. */
export const coloursOf = (palette: Palette, measure: Pick<Measure, 'scale' | 'tones'>): Uint32Array => pixelsOf(levelColours(palette, measure));

/** Whether dark letters are the readable ones on such a colour. */
export const takesDarkText = (colour: number): boolean => readsDark(colour & 0xff, (colour >>> 8) & 0xff, (colour >>> 16) & 0xff);

/** Of letters and signs on a colour that has a name. */
export const inkOn = (name: string): string => (takesDarkText(pixelsOf([name])[0] ?? 0) ? '#000' : '#fff');

/** Paints one canvas again and again; the bitmap in memory is kept while its size stays. */
export class Painter {
  private image: ImageData | null = null;

  constructor(readonly canvas: HTMLCanvasElement) {}

  paint(picture: Picture, plot: Plot, ratio: number): void {
    const context = fitCanvas(this.canvas, plot.width, plot.height, ratio);
    if (!context) return;
    const { width, height } = this.canvas;
    if (this.image?.width !== width || this.image.height !== height) this.image = context.createImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    const gap = { x: plot.cellWidth >= gapFrom ? Math.round(ratio) : 0, y: plot.cellHeight >= gapFrom ? Math.round(ratio) : 0 };
    const target = { pixels, width, gap };
    const columns = binsOf(plot.sight.positions, width);
    for (const rows of binsOf(plot.sight.rows, height)) paintRow(target, picture, rows, columns);
    context.putImageData(this.image, 0, 0);
  }
}

interface Target {
  readonly pixels: Uint32Array;
  readonly width: number;
  readonly gap: { readonly x: number; readonly y: number };
}

/** One line of pixels from the gravest of each bin's cells, and the same line as high as the rows are. Plain loops: this is all that a frame of a zoom does. */
function paintRow({ pixels, width, gap }: Target, { levels, positions, colours }: Picture, rows: Bin, columns: readonly Bin[]): void {
  const line = rows.from * width;
  for (const { from, to, first, last } of columns) {
    const colour = colours[gravestLevel(levels, positions, rows, first, last)] ?? 0;
    const edge = Math.max(from + 1, to - gap.x);
    for (let x = from; x < edge; x++) pixels[line + x] = colour;
    for (let x = edge; x < to; x++) pixels[line + x] = 0;
  }
  const end = Math.max(rows.from + 1, rows.to - gap.y);
  for (let y = rows.from + 1; y < end; y++) pixels.copyWithin(y * width, line, line + width);
  pixels.fill(0, end * width, rows.to * width);
}

function gravestLevel(levels: Uint8Array, positions: number, rows: Bin, first: number, last: number): number {
  let gravest: number = level.notCompared;
  for (let row = rows.first; row < rows.last; row++) {
    const end = row * positions + last;
    for (let cell = row * positions + first; cell < end; cell++) {
      const here = levels[cell] ?? 0;
      if (here > gravest) gravest = here;
    }
  }
  return gravest;
}
