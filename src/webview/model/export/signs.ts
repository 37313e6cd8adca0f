// Signs of tokens, as they stand in the cells of the page: a bonus has a dot in its upper corner, a rejected draft is struck out.
import type { Sign } from '../grid';
import { tag } from './xml';

/** Cells and swatches from this width on have room for one. */
export const signFrom = 6;

/** In a box whose corner is (x, y). */
export function signMark(sign: Sign, { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }, ink: string): string {
  const point = (value: number): number => Math.round(value * 100) / 100;
  if (sign === 'bonus') return tag('circle', { cx: point(x + width - 3.5), cy: point(y + 4), r: 2, fill: ink });
  const side = Math.min(width, height);
  return tag('path', { d: `M${point(x + width - side + 1)} ${point(y + height - 1)}L${point(x + width - 1)} ${point(y + 1)}`, stroke: ink, 'stroke-width': 1.5 });
}
