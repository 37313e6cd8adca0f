// Says what the colours of the heat map mean; reads in log scale.
import { axisBottom } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import type { Grid, Measure } from '../../model/grid';
import { level, notCompared, type LogScale } from '../../model/measures';
import { kindWords } from '../../model/words';
import type { Palette } from '../../theme';
import { element, svg, type Child } from '../dom';
import { choiceColours, takesDarkText } from './paint';

const ramp = { width: 260, height: 10, side: 26 };

export function legend(grid: Grid, measure: Measure, values: Float64Array, scale: LogScale, palette: Palette, colours: Uint32Array): readonly Child[] {
  const differs = values.some((value) => value > 0);
  const gaps = values.includes(notCompared);
  return [
    element('span', { class: 'legend-title' }, measure.describes),
    swatch(palette.equal, measure.equal ?? 'equal'),
    gaps && swatch(palette.notCompared, measure.gap ?? 'not compared'),
    ...(measure.scale === 'choice' ? choices(measure, palette, colours) : [differs && rampOf(measure, scale, palette)]),
    grid.first && element('span', { class: 'key' }, pinIcon(), 'first divergence'),
    grid.boundaries.length > 0 && element('span', { class: 'key' }, lineIcon(), 'boundary'),
    grid.tokens?.sign !== undefined && measure.tones === undefined && swatch(palette.equal, 'bonus of the target', bonusSign(colours[level.equal])),
    ...(grid.tokens?.rounds.length ? rounds(grid.tokens.roundsOf) : []),
    ...kinds(grid),
  ];
}

function swatch(colour: string, label: string, sign: SVGElement | null = null): HTMLElement {
  const square = svg('svg', { class: 'swatch', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, svg('rect', { attributes: { x: 0.5, y: 0.5, width: 11, height: 11, fill: colour } }), sign);
  return element('span', { class: 'key' }, square, label);
}

function choices(measure: Measure, palette: Palette, colours: Uint32Array): Child[] {
  const { choices: words, tones } = measure;
  if (words === undefined) return [];
  const [mild, grave] = choiceColours(palette, measure);
  return tones === 'drafts' ? [swatch(mild, words[0], bonusSign(colours[level.differs])), swatch(grave, words[1], rejectedSign(colours[level.differs + 1]))] : [swatch(mild, words[0]), swatch(grave, words[1])];
}

const pinIcon = (): SVGElement => svg('svg', { class: 'swatch pin', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, svg('path', { attributes: { d: 'M1 2h10L6 10z' } }));
const lineIcon = (): SVGElement => svg('svg', { class: 'swatch boundaries', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, svg('line', { attributes: { x1: 6, x2: 6, y1: 0, y2: 12 } }));

/** As they stand in the cells. */
const ink = (colour = 0): string => (takesDarkText(colour) ? '#000' : '#fff');
const bonusSign = (colour: number | undefined): SVGElement => svg('circle', { attributes: { cx: 8.5, cy: 3.5, r: 2, fill: ink(colour) } });
const rejectedSign = (colour: number | undefined): SVGElement => svg('path', { attributes: { d: 'M1 11L11 1', stroke: ink(colour), 'stroke-width': 1.5 } });

function rounds(of = ''): Child[] {
  const name = `round${of === '' ? '' : ` of ${of}`}`;
  return [element('span', { class: 'key' }, bracketIcon('M1 3v5h10V3'), name), element('span', { class: 'key' }, bracketIcon('M1 3v5h10V3', 'M8 8l3 4V8z'), `${name} with a rewind`)];
}

const bracketIcon = (...paths: readonly string[]): SVGElement => svg('svg', { class: 'swatch rounds', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, ...paths.map((d, i) => svg('path', { class: i === 0 ? 'round' : 'rewind', attributes: { d } })));

function kinds(grid: Grid): HTMLElement[] {
  const present = new Set(grid.rows.flatMap(({ kind }) => (kind === null ? [] : [kind])));
  return [...present].map((kind) =>
    element(
      'span',
      { class: 'key' },
      svg('svg', { class: 'swatch', attributes: { width: 4, height: 12, 'aria-hidden': 'true' } }, svg('rect', { class: `kind kind-${kind}`, attributes: { width: 4, height: 12 } })),
      `${kindWords[kind].letter} ${kindWords[kind].name}`,
    ),
  );
}

function rampOf({ describes, tick }: Measure, scale: LogScale, palette: Palette): SVGElement {
  const label = `${describes}, logarithmic, from ${tick(scale.low)} to ${tick(scale.high)}`;
  const step = ramp.width / palette.ramp.length;
  const bars = palette.ramp.map((fill, i) => svg('rect', { attributes: { x: ramp.side + i * step, width: step + 0.5, height: ramp.height, fill } }));
  const axis = axisBottom(scaleLog([scale.low, scale.high], [0, ramp.width]))
    .tickValues([...scale.ticks])
    .tickFormat((value) => tick(Number(value)))
    .tickSize(4)
    .tickSizeOuter(0);
  const ticks = svg('g', { class: 'axis', attributes: { transform: `translate(${ramp.side},${ramp.height})` } });
  select(ticks).call(axis);
  return svg('svg', { class: 'ramp', attributes: { role: 'img', 'aria-label': label, width: ramp.width + 2 * ramp.side, height: 30 } }, ...bars, ticks);
}
