// A bisect's run as a grid: layers x positions of the block.
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import type { Cell, Facts, Grid, Measure, MeasureName } from './grid';
import { atLeastTiny, notCompared, otherChoice, sameChoice } from './measures';
import { percent, share } from './numbers';
import { indexOf, tapsOfCell } from './runIndex';
import { argmaxDiffers, cellInWords, kindWords } from './words';

const ulps = (n: number): string => (n < 1e6 ? formatCount(n) : formatFloat(n));

export const bisectMeasures: readonly Measure[] = [
  { name: 'bytes', label: 'Bytes', describes: 'Share of differing bytes', scale: 'share', tick: percent },
  { name: 'maxUlp', label: 'Max ULP', describes: 'Largest distance in representable values (ULP)', scale: 'log', tick: ulps },
  { name: 'relL2', label: 'Rel. L2', describes: 'Largest relative L2 error of a tap', scale: 'log', tick: formatFloat },
  { name: 'argmax', label: 'Argmax', describes: 'Whether the greedy choice at the position agrees', scale: 'choice', choices: ['differs, same greedy choice', 'differs, other greedy choice'], tick: formatCount },
  // The smaller the margin, the sooner a difference turns the choice, so its inverse is what grows with gravity.
  { name: 'margin', label: 'Margin', describes: 'How near the two best logits of the position are (arm A)', scale: 'log', tick: (inverse) => formatFloat(1 / inverse), meant: (inverse) => 1 / inverse },
];

function valueOf(run: BisectRun, measure: MeasureName, cell: number, rowBytes: number): number {
  const { cells, logits } = run;
  const differing = cells.differingBytes[cell];
  if (differing === undefined || rowBytes === 0) return notCompared;
  if (differing === 0) return 0;
  const position = cell % cells.positions;
  switch (measure) {
    case 'bytes':
      return differing / rowBytes;
    case 'maxUlp':
      return atLeastTiny(cells.maxUlp[cell] ?? 0);
    case 'relL2':
      return atLeastTiny(Number(cells.relL2[cell] ?? 0));
    case 'argmax':
      return argmaxDiffers(run, position) ? otherChoice : sameChoice;
    case 'margin':
      return atLeastTiny(1 / Number(logits.marginA[position] ?? NaN));
    case 'taps':
    case 'tokens':
      return notCompared;
  }
}

function valuesOf(run: BisectRun, measure: MeasureName): Float64Array {
  const { positions, rowBytes } = run.cells;
  const values = new Float64Array(run.rows.length * positions);
  for (let cell = 0; cell < values.length; cell++) values[cell] = valueOf(run, measure, cell, rowBytes[Math.floor(cell / positions)] ?? 0);
  return values;
}

function factsOf(run: BisectRun, { row, position }: Cell): Facts {
  const { cells, logits } = run;
  const cell = row * cells.positions + position;
  const bytes = cells.rowBytes[row] ?? 0;
  const differing = cells.differingBytes[cell] ?? 0;
  if (bytes === 0) return [['bytes', 'not compared']];
  const choice: Facts[number] = ['greedy choice', argmaxDiffers(run, position) ? `${logits.argmaxA[position]} | ${logits.argmaxB[position]}` : `both ${logits.argmaxA[position]}`];
  if (differing === 0) return [['bytes', `equal, ${formatCount(bytes)} compared`], choice];
  return [
    ['bytes', `${percent(share(differing, bytes))}, ${formatCount(differing)} of ${formatCount(bytes)}`],
    ['max ULP', formatCount(cells.maxUlp[cell] ?? 0)],
    ['relative L2', formatFloat(cells.relL2[cell] ?? 0, 3)],
    ['first tap', run.differing.tap[tapsOfCell(indexOf(run), row, position)[0] ?? -1] ?? 'not kept'],
    choice,
    ['margin', formatFloat(logits.marginA[position] ?? NaN, 3)],
  ];
}

function aboutOf(run: BisectRun, { row, position }: Cell): string {
  const id = run.blockIds[position];
  const kind = run.rows[row]?.kind;
  return `${kind === undefined ? '' : kindWords[kind].name} · absolute ${formatCount(run.promptIds.length + position)}${id === undefined ? '' : ` · id ${id}`}`;
}

function cellsOf({ differing, cells: { positions } }: BisectRun, text: string): number[] {
  const name = text.toLowerCase();
  const cells = new Set<number>();
  differing.tap.forEach((tap, i) => tap.toLowerCase().includes(name) && cells.add((differing.row[i] ?? 0) * positions + (differing.position[i] ?? 0)));
  return [...cells].sort((a, b) => a - b);
}

const made = new WeakMap<BisectRun, Grid>();

/** The same grid for the same run. */
export function bisectGrid(run: BisectRun): Grid {
  const known = made.get(run);
  if (known !== undefined) return known;
  const values = new Map<MeasureName, Float64Array>();
  const grid: Grid = {
    rows: run.rows,
    positions: run.cells.positions,
    first: run.first,
    measures: bisectMeasures,
    boundaries: [],
    holding: (text) => cellsOf(run, text),
    values(measure) {
      const all = values.get(measure) ?? valuesOf(run, measure);
      values.set(measure, all);
      return all;
    },
    place: ({ row, position }) => `${run.rows[row]?.label ?? ''} · position ${position}`,
    about: (cell) => aboutOf(run, cell),
    facts: (cell) => factsOf(run, cell),
    words: ({ row, position }) => cellInWords(run, row, position),
  };
  made.set(run, grid);
  return grid;
}
