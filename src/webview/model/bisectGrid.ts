// A bisect's run as a grid: layers x positions of the block.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { cut, room } from './cut';
import { isDrawable, type Cell, type Facts, type Grid, type Measure, type MeasureName } from './grid';
import { inEnglish } from './language';
import { atLeastTiny, notCompared, otherChoice, sameChoice } from './measures';
import { percent, share } from './numbers';
import { indexOf, tapsOfCell } from './runIndex';
import { argmaxDiffers, cellInWords, kindWords } from './words';

const ulps = (n: number): string => (n < 1e6 ? formatCount(n) : formatFloat(n));

const measuresOf = (): readonly Measure[] => [
  { name: 'bytes', label: l10n.t('Bytes'), describes: l10n.t('Share of differing bytes'), scale: 'share', tick: percent },
  { name: 'maxUlp', label: l10n.t('Max ULP'), describes: l10n.t('Largest distance in representable values (ULP)'), scale: 'log', tick: ulps },
  { name: 'relL2', label: l10n.t('Rel. L2'), describes: l10n.t('Largest relative L2 error of a tap'), scale: 'log', tick: formatFloat },
  { name: 'argmax', label: l10n.t('Argmax'), describes: l10n.t('Whether the greedy choice at the position agrees'), scale: 'choice', choices: [l10n.t('differs, same greedy choice'), l10n.t('differs, other greedy choice')], tick: formatCount },
  // The smaller the margin, the sooner a difference turns the choice, so its inverse is what grows with gravity.
  { name: 'margin', label: l10n.t('Margin'), describes: l10n.t('How near the two best logits of the position are (arm A)'), scale: 'log', tick: (inverse) => formatFloat(1 / inverse), meant: (inverse) => 1 / inverse },
];
export const bisectMeasures = measuresOf();

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
  if (bytes === 0) return [[l10n.t('bytes'), l10n.t('not compared')]];
  const choice: Facts[number] = [l10n.t('greedy choice'), argmaxDiffers(run, position) ? `${logits.argmaxA[position]} | ${logits.argmaxB[position]}` : l10n.t('both {0}', logits.argmaxA[position] ?? '')];
  if (differing === 0) return [[l10n.t('bytes'), l10n.t('equal, {0} compared', formatCount(bytes))], choice];
  return [
    [l10n.t('bytes'), l10n.t('{0}, {1} of {2}', percent(share(differing, bytes)), formatCount(differing), formatCount(bytes))],
    [l10n.t('max ULP'), formatCount(cells.maxUlp[cell] ?? 0)],
    [l10n.t('relative L2'), formatFloat(cells.relL2[cell] ?? 0, 3)],
    [l10n.t('first tap'), run.differing.tap[tapsOfCell(indexOf(run), row, position)[0] ?? -1] ?? l10n.t('not kept')],
    choice,
    [l10n.t('margin'), formatFloat(logits.marginA[position] ?? NaN, 3)],
  ];
}

function aboutOf(run: BisectRun, { row, position }: Cell): string {
  const id = run.blockIds[position];
  const kind = run.rows[row]?.kind;
  return `${kind === undefined ? '' : kindWords[kind].name} · ${l10n.t('absolute {0}', formatCount(run.promptIds.length + position))}${id === undefined ? '' : ` · ${l10n.t('id {0}', id)}`}`;
}

function cellsOf({ differing, cells: { positions } }: BisectRun, text: string): number[] {
  const name = text.toLowerCase();
  const cells = new Set<number>();
  differing.tap.forEach((tap, i) => tap.toLowerCase().includes(name) && cells.add((differing.row[i] ?? 0) * positions + (differing.position[i] ?? 0)));
  return [...cells].sort((a, b) => a - b);
}

/** The differing tap of a cell that has this name, or whose name holds it; null where there is none. */
export function tapNamed(run: BisectRun, { row, position }: Cell, text: string): number | null {
  const name = text.trim().toLowerCase();
  if (name === '') return null;
  const taps = tapsOfCell(indexOf(run), row, position);
  const nameOf = (entry: number): string => run.differing.tap[entry]?.toLowerCase() ?? '';
  return taps.find((entry) => nameOf(entry) === name) ?? taps.find((entry) => nameOf(entry).includes(name)) ?? null;
}

const made = new WeakMap<BisectRun, Grid>();

/** Of a run that is drawable: it has layers and positions. */
export const hasMap = ({ rows, cells: { positions } }: BisectRun): boolean => isDrawable(rows.length, positions);

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
    place: ({ row, position }) => l10n.t('{0} · position {1}', cut(run.rows[row]?.label ?? '', room.name), position),
    about: (cell) => aboutOf(run, cell),
    facts: (cell) => factsOf(run, cell),
    words: ({ row, position }) => cellInWords(run, row, position),
    english: () => inEnglish(() => ({ ...grid, measures: measuresOf() })),
  };
  made.set(run, grid);
  return grid;
}
