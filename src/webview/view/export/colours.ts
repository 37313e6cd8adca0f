// The colours of the page as other programs read them.
import type { Measure } from '../../model/grid';
import type { Colours } from '../../model/export/sheet';
import { levelColours, readPalette } from '../../theme';
import { pixelsOf } from '../map/paint';

const hexOf = (pixel: number): string => `#${[pixel & 0xff, (pixel >>> 8) & 0xff, (pixel >>> 16) & 0xff].map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** Any colours of CSS as #rrggbb, as they look on a ground. */
export const hexColours = (names: readonly string[], ground: string): string[] => Array.from(pixelsOf(names, ground), hexOf);

/** Of the theme that is on. */
export function pageColours(measure: Pick<Measure, 'scale' | 'tones'>): Colours {
  const palette = readPalette();
  const style = getComputedStyle(document.body);
  const named = [palette.background, palette.foreground, style.getPropertyValue('--moire-muted'), style.getPropertyValue('--moire-line')];
  const [background = '', foreground = '', muted = '', line = '', ...levels] = hexColours([...named, ...levelColours(palette, measure)], palette.background);
  return { background, foreground, muted, line, levels };
}
