// Colours of the canvas. The page's own come from VS Code's variables by CSS; a canvas has to read them, and again when the theme changes.
import { interpolateInferno, interpolateYlOrBr } from 'd3-scale-chromatic';
import { range } from 'd3-array';
import type { Measure } from './model/grid';

export interface Palette {
  readonly background: string;
  readonly equal: string;
  readonly notCompared: string;
  /** Same bytes no more, same greedy choice; and another choice. */
  readonly sameChoice: string;
  readonly otherChoice: string;
  /** A draft that the target accepted, a token of its own, and a draft that it rejected: none is a difference. */
  readonly accepted: string;
  readonly bonus: string;
  readonly rejected: string;
  readonly foreground: string;
  readonly focus: string;
  /** From the mildest difference to the gravest. */
  readonly ramp: readonly string[];
  /** Of two reports: mended, less, the same, worse, new. */
  readonly delta: readonly string[];
}

export const rampSteps = 64;

/** The part of each map that stands off both the background and the colour of equal cells: brighter is graver on dark, darker is graver on light. */
const ramps = {
  dark: (t: number): string => interpolateInferno(0.32 + 0.64 * t),
  light: (t: number): string => interpolateYlOrBr(0.3 + 0.7 * t),
} as const;

/** Blue is what got better, orange and red what got worse, in steps of brightness that can also be told apart without colours. */
const deltas = {
  dark: ['#3f8fd9', '#9cc3e6', '#8f8f8f', '#e08b2d', '#ff5a4a'],
  light: ['#0b5ea8', '#79aede', '#9a9a9a', '#d97a0b', '#b3121d'],
} as const;

const isLight = (body: HTMLElement): boolean => body.classList.contains('vscode-light') || body.classList.contains('vscode-high-contrast-light');

export function readPalette(body: HTMLElement = document.body): Palette {
  const style = getComputedStyle(body);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const kind = isLight(body) ? 'light' : 'dark';
  const ramp = ramps[kind];
  return {
    background: colour('--moire-background'),
    equal: colour('--moire-equal'),
    notCompared: colour('--moire-not-compared'),
    sameChoice: ramp(0.35),
    otherChoice: ramp(1),
    accepted: colour('--vscode-charts-green') || colour('--moire-equal'),
    bonus: colour('--vscode-charts-purple') || ramp(0.35),
    rejected: colour('--vscode-charts-red') || ramp(1),
    foreground: colour('--moire-foreground'),
    focus: colour('--moire-focus'),
    ramp: range(rampSteps).map((i) => ramp(i / (rampSteps - 1))),
    delta: deltas[kind],
  };
}

/** Of the codes of `level` in model/measures.ts, in their order. */
export function levelColours({ notCompared, equal, sameChoice, otherChoice, accepted, bonus, rejected, ramp, delta }: Palette, { scale, tones }: Pick<Measure, 'scale' | 'tones'>): readonly string[] {
  const choices = tones === 'drafts' ? [bonus, rejected] : [sameChoice, otherChoice];
  return [notCompared, tones === 'drafts' ? accepted : equal, ...(scale === 'choice' ? choices : scale === 'delta' ? delta : ramp)];
}

/** VS Code marks a change of theme on the body's class. */
export function onThemeChange(changed: () => void): void {
  new MutationObserver(changed).observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  for (const query of ['(prefers-contrast: more)', '(forced-colors: active)']) matchMedia(query).addEventListener('change', changed);
}
