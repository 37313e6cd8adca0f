// The sheet that every drawing stands on: size, ground, title, verdict, and the text on it.
import { takesDarkText } from '../luminance';
import { tag, xmlText } from './xml';

/** As #rrggbb, which every program reads. */
export interface Colours {
  readonly background: string;
  readonly foreground: string;
  readonly muted: string;
  readonly line: string;
  /** Of the codes of `level`, in their order: not compared, equal, and what differs from mild to grave. */
  readonly levels: readonly string[];
}

export interface Heading {
  readonly title: string;
  readonly verdict: string;
  readonly run: string;
}

/** Pixels: room at the sides, width of a letter, and of a line. */
export const sheet = { side: 16, letter: 6.6, line: 16 } as const;
const font = 'system-ui, sans-serif';

export const text = (x: number, y: number, words: string, fill: string, more: Readonly<Record<string, string | number>> = {}): string => tag('text', { x, y, fill, ...more }, xmlText(words));

/** Dark letters on a light colour, light ones on a dark. */
export const letterOn = (colour: string): string => (takesDarkText(...partsOf(colour)) ? '#000000' : '#ffffff');

const partsOf = (colour: string): [number, number, number] => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];

/** Cut to what fits, with a sign that it was. */
export function fitting(words: string, width: number): string {
  const fits = Math.max(1, Math.floor(width / sheet.letter));
  return words.length <= fits ? words : `${words.slice(0, fits - 1)}…`;
}

/** Words of a sentence in lines of a width. */
function wrapped(words: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of words.split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (longer.length * sheet.letter > width && lines.at(-1) !== '') lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.slice(0, 8);
}

/** The text of an SVG file and its size in pixels. */
export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/** Markup on a sheet, as a file. */
export function onSheet(body: string, { width, height }: Omit<Drawing, 'svg'>, colours: Pick<Colours, 'background'>, { title, description: about }: { readonly title: string; readonly description: string }): Drawing {
  const head = tag('title', {}, xmlText(title)) + tag('desc', {}, xmlText(about)) + tag('rect', { width, height, fill: colours.background });
  return { svg: `<?xml version="1.0" encoding="UTF-8"?>\n${tag('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': font, 'font-size': 12 }, head + body)}\n`, width, height };
}

/** Title, verdict and run as lines, and where the next one would stand. */
export function headingOf({ title, verdict, run }: Heading, { foreground, muted }: Pick<Colours, 'foreground' | 'muted'>, width: number): { readonly body: string; readonly bottom: number } {
  const lines = wrapped(verdict, width - 2 * sheet.side);
  const body = text(sheet.side, 28, title, foreground, { 'font-size': 16, 'font-weight': 600 }) + lines.map((line, i) => text(sheet.side, 50 + i * sheet.line, line, foreground)).join('');
  const bottom = 50 + lines.length * sheet.line;
  return { body: body + text(sheet.side, bottom + 4, run, muted), bottom: bottom + 20 };
}
