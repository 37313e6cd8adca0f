// What tests read from the page.
import type { Page } from 'playwright-core';
import type { Selection } from '../../src/shared/viewProtocol';
import { wholeSight } from '../../src/webview/model/span';
import type { ViewPage } from './harness';

export type Rgb = readonly [number, number, number];

/** One colour per cell: the pixel in its middle, or per pixel column where cells are smaller than that. Row-major, `columns` a row. */
async function drawnCells(page: Page, rows: number, positions: number): Promise<{ colours: Rgb[]; columns: number; rows: number }> {
  return page.evaluate(
    ([rows, positions]) => {
      const canvas = document.querySelector<HTMLCanvasElement>('.map-cells')!;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      const bins = [Math.min(rows, canvas.height), Math.min(positions, canvas.width)] as const;
      const middle = (bin: number, length: number, of: number): number => Math.floor((Math.round((bin * length) / of) + Math.round(((bin + 1) * length) / of) - 1) / 2);
      const colours: [number, number, number][] = [];
      for (let row = 0; row < bins[0]; row++) {
        for (let column = 0; column < bins[1]; column++) {
          const x = middle(column, canvas.width, bins[1]);
          const y = middle(row, canvas.height, bins[0]);
          const at = (y * canvas.width + x) * 4;
          colours.push([data[at]!, data[at + 1]!, data[at + 2]!]);
        }
      }
      return { colours, rows: bins[0], columns: bins[1] };
    },
    [rows, positions] as const,
  );
}

/** What a map is of: rows x positions, more than 0 where a cell differs. */
interface Differing {
  readonly rows: number;
  readonly positions: number;
  readonly differing: readonly number[];
  /** Variable of the colour of cells that do not. */
  readonly equal?: string;
}

/** For each drawn bin of what is in sight '1' where it is not of the colour of equal cells, and what is due. */
export async function differingBins(view: ViewPage, { rows: all, positions, differing, equal: name = '--moire-equal' }: Differing, sight = wholeSight(all, positions)): Promise<{ drawn: string; expected: string }> {
  const equal = await themeColour(view.page, name);
  const { colours, rows, columns } = await drawnCells(view.page, sight.rows.size, sight.positions.size);
  const expected = Array<string>(rows * columns).fill('0');
  differing.forEach((count, cell) => {
    const at = { row: Math.floor(cell / positions) - sight.rows.from, position: (cell % positions) - sight.positions.from };
    if (count === 0 || at.row < 0 || at.row >= sight.rows.size || at.position < 0 || at.position >= sight.positions.size) return;
    const from = (index: number, of: number, bins: number): [number, number] => [Math.floor((index * bins) / of), Math.ceil(((index + 1) * bins) / of)];
    const [rowFrom, rowTo] = from(at.row, sight.rows.size, rows);
    const [columnFrom, columnTo] = from(at.position, sight.positions.size, columns);
    for (let row = rowFrom; row < rowTo; row++) for (let column = columnFrom; column < columnTo; column++) expected[row * columns + column] = '1';
  });
  return { drawn: colours.map((colour) => (colour.some((part, i) => Math.abs(part - equal[i]!) > 2) ? '1' : '0')).join(''), expected: expected.join('') };
}

/** A colour of the theme as the canvas draws it. */
export function themeColour(page: Page, variable: string): Promise<Rgb> {
  return page.evaluate((name) => {
    const context = document.createElement('canvas').getContext('2d')!;
    context.fillStyle = getComputedStyle(document.body).getPropertyValue(name);
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
    return [r!, g!, b!] as const;
  }, variable);
}

/** Opaque pixels of the layer of marks. */
export function markPixels(page: Page): Promise<{ width: number; height: number; opaque: readonly (readonly [number, number])[] }> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.map-marks')!;
    const { data, width, height } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const opaque: [number, number][] = [];
    for (let i = 0; i < width * height; i++) if (data[i * 4 + 3]! > 250) opaque.push([i % width, Math.floor(i / width)]);
    return { width, height, opaque };
  });
}

export async function lastSelection(view: ViewPage): Promise<Selection> {
  const selected = (await view.posted()).filter((message) => message.type === 'selected');
  return selected.at(-1)!.selection;
}

/** Waits until the page has drawn what it was told. */
export const settled = (page: Page): Promise<void> => page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
