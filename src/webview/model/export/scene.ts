// What a drawing of a map is made of: the grid by a measure, its colours, and where it lies on the sheet.
import type { Grid, Measure, MeasureName } from '../grid';
import { level, levelsOf, logScale, type LogScale } from '../measures';
import { plotOf, type Plot } from '../plot';
import { wholeSight, type Sight } from '../span';
import { binsFor, type Bins } from './bins';
import { sheet, type Colours } from './sheet';

/** Pixels: most and least width of the drawing, and most height of the cells. */
const size = { most: 1160, least: 640, height: 640 } as const;
export const labelWidth = 200;
const token = { width: 72, height: 26 };

export interface Drawn {
  readonly grid: Grid;
  readonly measure: MeasureName;
  readonly sight: Sight | null;
}

export interface Scene {
  readonly grid: Grid;
  readonly measure: Measure;
  readonly values: Float64Array;
  readonly scale: LogScale;
  readonly levels: Uint8Array;
  readonly colours: Colours;
  readonly plot: Plot;
  readonly bins: Bins;
  /** Of the cells. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

export function sceneOf({ grid, measure: name, sight }: Drawn, colours: Colours, top: number): Scene {
  const measure = grid.measures.find((one) => one.name === name) ?? grid.measures[0];
  if (measure === undefined) throw new Error('The map has no measure.');
  const values = grid.values(measure.name);
  const scale = logScale(grid.spread?.(measure.name) ?? values, measure);
  const longest = grid.rows.reduce((most, { label }) => Math.max(most, label.length), 0);
  const left = Math.ceil(sheet.side + Math.min(longest * sheet.letter, labelWidth) + 28);
  const space = { width: size.most - left, maxHeight: size.height, ...(grid.tokens === undefined ? {} : { largest: token }) };
  const plot = plotOf(grid.rows.length, grid.positions, space, sight ?? wholeSight(grid.rows.length, grid.positions));
  const levels = levelsOf(values, measure, scale, colours.levels.length - level.differs);
  return { grid, measure, values, scale, levels, colours, plot, bins: binsFor(plot), left, top, width: Math.max(size.least, left + plot.width + sheet.side) };
}
