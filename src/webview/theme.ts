// Colours of the canvas. The page's own come from VS Code's variables by CSS; a canvas has to read them, and again when the theme changes.
import { interpolateInferno, interpolateYlOrBr } from 'd3-scale-chromatic';
import { range } from 'd3-array';

export interface Palette {
  readonly background: string;
  readonly equal: string;
  readonly notCompared: string;
  /** Same bytes no more, same greedy choice; and another choice. */
  readonly sameChoice: string;
  readonly otherChoice: string;
  /** A token of the target's own, and a draft that it rejected: neither is a difference. */
  readonly bonus: string;
  readonly rejected: string;
  readonly foreground: string;
  readonly focus: string;
  /** From the mildest difference to the gravest. */
  readonly ramp: readonly string[];
}

export const rampSteps = 64;

/** The part of each map that stands off both the background and the colour of equal cells: brighter is graver on dark, darker is graver on light. */
const ramps = {
  dark: (t: number): string => interpolateInferno(0.32 + 0.64 * t),
  light: (t: number): string => interpolateYlOrBr(0.3 + 0.7 * t),
} as const;

const isLight = (body: HTMLElement): boolean => body.classList.contains('vscode-light') || body.classList.contains('vscode-high-contrast-light');

export function readPalette(body: HTMLElement = document.body): Palette {
  const style = getComputedStyle(body);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const ramp = ramps[isLight(body) ? 'light' : 'dark'];
  return {
    background: colour('--moire-background'),
    equal: colour('--moire-equal'),
    notCompared: colour('--moire-not-compared'),
    sameChoice: ramp(0.35),
    otherChoice: ramp(1),
    bonus: colour('--vscode-charts-blue') || ramp(0.35),
    rejected: colour('--vscode-charts-red') || ramp(1),
    foreground: colour('--moire-foreground'),
    focus: colour('--moire-focus'),
    ramp: range(rampSteps).map((i) => ramp(i / (rampSteps - 1))),
  };
}

/** VS Code marks a change of theme on the body's class. */
export function onThemeChange(changed: () => void): void {
  new MutationObserver(changed).observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  for (const query of ['(prefers-contrast: more)', '(forced-colors: active)']) matchMedia(query).addEventListener('change', changed);
}
