// Says what the colours of the heat map mean; reads in log scale.
import * as l10n from '@vscode/l10n';
import { axisBottom } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import type { Grid, Measure } from '../../model/grid';
import { level, notCompared, type LogScale } from '../../model/measures';
import { kindWords } from '../../model/words';
import { levelColours, type Palette } from '../../theme';
import { element, svg, type Child } from '../dom';
import { inkOn } from './paint';

const ramp = { width: 260, height: 10, side: 26 };

export function legend(grid: Grid, measure: Measure, values: Float64Array, scale: LogScale, palette: Palette): readonly Child[] {
  const differs = values.some((value) => value > 0);
  const gaps = values.includes(notCompared);
  const colours = levelColours(palette, measure);
  return [
    element('span', { class: 'legend-title' }, measure.describes),
    swatch(colours[level.equal] ?? palette.equal, measure.equal ?? l10n.t('equal')),
    gaps && swatch(palette.notCompared, measure.gap ?? l10n.t('not compared')),
    ...(measure.choices === undefined ? [differs && rampOf(measure, scale, palette)] : choices(measure, measure.choices, palette)),
    grid.first && element('span', { class: 'key' }, pinIcon(), l10n.t('first divergence')),
    grid.boundaries.length > 0 && element('span', { class: 'key' }, lineIcon(), l10n.t('boundary')),
    grid.tokens?.sign !== undefined && measure.tones === undefined && swatch(palette.equal, l10n.t('bonus of the target'), bonusSign(inkOn(palette.equal))),
    ...(grid.tokens?.rounds.length ? rounds(grid.tokens.roundsOf) : []),
    ...kinds(grid),
  ];
}

/** `sign`: what stands in such a cell: drawn over the swatch, or a letter beside it. */
function swatch(colour: string, label: string, sign: SVGElement | string | null = null): HTMLElement {
  const square = svg('svg', { class: 'swatch', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, svg('rect', { attributes: { x: 0.5, y: 0.5, width: 11, height: 11, fill: colour } }), typeof sign === 'string' ? null : sign);
  return element('span', { class: 'key' }, square, typeof sign === 'string' && element('span', { class: 'sign', attributes: { 'aria-hidden': 'true' } }, sign), label);
}

function choices(measure: Measure, words: readonly string[], palette: Palette): Child[] {
  const colours = levelColours(palette, measure).slice(level.differs);
  const drawn = measure.tones === 'drafts' ? [bonusSign, rejectedSign] : [];
  return words.map((one, i) => {
    const colour = colours[i] ?? palette.background;
    return swatch(colour, one, drawn[i]?.(inkOn(colour)) ?? measure.signs?.[i] ?? null);
  });
}

const pinIcon = (): SVGElement => svg('svg', { class: 'swatch pin', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, svg('path', { attributes: { d: 'M1 2h10L6 10z' } }));
const lineIcon = (): SVGElement => svg('svg', { class: 'swatch boundaries', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, svg('line', { attributes: { x1: 6, x2: 6, y1: 0, y2: 12 } }));

/** As they stand in the cells. */
const bonusSign = (ink: string): SVGElement => svg('circle', { attributes: { cx: 8.5, cy: 3.5, r: 2, fill: ink } });
const rejectedSign = (ink: string): SVGElement => svg('path', { attributes: { d: 'M1 11L11 1', stroke: ink, 'stroke-width': 1.5 } });

function rounds(of = ''): Child[] {
  const [name, rewound] = of === '' ? [l10n.t('round'), l10n.t('round with a rewind')] : [l10n.t('round of {0}', of), l10n.t('round of {0} with a rewind', of)];
  return [element('span', { class: 'key' }, bracketIcon('M1 3v5h10V3'), name), element('span', { class: 'key' }, bracketIcon('M1 3v5h10V3', 'M8 8l3 4V8z'), rewound)];
}

const bracketIcon = (...paths: readonly string[]): SVGElement => svg('svg', { class: 'swatch rounds', attributes: { width: 12, height: 12, 'aria-hidden': 'true' } }, ...paths.map((d, i) => svg('path', { class: i === 0 ? 'round' : 'rewind', attributes: { d } })));

function kinds(grid: Grid): HTMLElement[] {
  const present = new Set(grid.rows.flatMap(({ kind }) => (kind === null ? [] : [kind])));
  return [...present].map((kind) =>
    element(
      'span',
      { class: 'key' },
      svg('svg', { class: 'swatch', attributes: { width: 4, height: 12, 'aria-hidden': 'true' } }, svg('rect', { class: `kind kind-${kind}`, attributes: { width: 4, height: 12 } })),
      [kindWords[kind].letter, kindWords[kind].name].join(' '),
    ),
  );
}

function rampOf({ describes, tick }: Measure, scale: LogScale, palette: Palette): SVGElement {
  const label = l10n.t('{0}, logarithmic, from {1} to {2}', describes, tick(scale.low), tick(scale.high));
  const step = ramp.width / palette.ramp.length;
  const bars = palette.ramp.map((fill, i) => svg('rect', { attributes: { x: ramp.side + i * step, width: step + 0.5, height: ramp.height, fill } }));
  const axis = axisBottom(scaleLog([scale.low, scale.high], [0, ramp.width]))
    .tickValues([...scale.ticks])
    .tickFormat((value) => tick(Number(value)))
    .tickSize(4)
    .tickSizeOuter(0);
  const ticks = svg('g', { class: 'axis', attributes: { transform: `translate(${ramp.side},${ramp.height})` } });
  select(ticks).call(axis);
  return svg('svg', { class: 'ramp', attributes: { role: 'img', 'aria-label': label, width: ramp.width + 2 * ramp.side, height: 30, viewBox: `0 0 ${ramp.width + 2 * ramp.side} 30` } }, ...bars, ticks);
}
