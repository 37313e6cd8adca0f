// A prefill comparison as a grid: layers x tokens of the prompt, by how many of a layer's taps differ.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import type { PrefillRun, TapMap } from '../../shared/results/prefill';
import { amount } from './amount';
import { cut, room } from './cut';
import { isDrawable, type Boundary, type Cell, type Grid, type Measure } from './grid';
import { inEnglish } from './language';
import { notCompared } from './measures';
import { percent } from './numbers';
import { kindWords } from './words';

const measuresOf = (): readonly Measure[] => [{ name: 'taps', label: l10n.t('Taps'), describes: l10n.t("Share of a layer's taps that differ in the token's row"), scale: 'share', tick: percent }];
const measures = measuresOf();

function valuesOf({ rows, positions, taps, differing }: TapMap): Float64Array {
  const values = new Float64Array(rows.length * positions);
  for (let cell = 0; cell < values.length; cell++) {
    const compared = taps[Math.floor(cell / positions)] ?? 0;
    values[cell] = compared === 0 ? notCompared : (differing[cell] ?? 0) / compared;
  }
  return values;
}

/** Where the first tap that differs does so first. */
function firstOf({ taps: [tap], map }: PrefillRun): Cell | null {
  if (tap === undefined || map === undefined) return null;
  const row = map.rows.findIndex(({ layer }) => layer === tap.layer);
  return row < 0 || tap.firstRow >= map.positions ? null : { row, position: tap.firstRow };
}

/** Where one forward of the prompt ends and the next begins. */
function boundariesOf({ partition }: PrefillRun, positions: number): Boundary[] {
  if (partition === 0) return [];
  return Array.from({ length: Math.ceil(positions / partition) - 1 }, (_, i) => ({ position: (i + 1) * partition, label: l10n.t('a forward begins at token {0} (pieces of {1})', formatCount((i + 1) * partition), partition) }));
}

/** Where each tap of that name differs first. */
function cellsOf({ taps }: PrefillRun, { rows, positions }: TapMap, text: string): number[] {
  const name = text.toLowerCase();
  const named = taps.filter(({ tap }) => tap.toLowerCase().includes(name));
  const cells = named.map(({ layer, firstRow }) => rows.findIndex((row) => row.layer === layer) * positions + firstRow);
  return [...new Set(cells.filter((cell) => cell >= 0))].sort((a, b) => a - b);
}

/** Null for a run whose map was too large to be kept, or that has none to draw. */
export function prefillGrid(run: PrefillRun, promptIds: readonly number[]): Grid | null {
  const { map } = run;
  if (map === undefined || !isDrawable(map.rows.length, map.positions)) return null;
  const values = valuesOf(map);
  const place = ({ row, position }: Cell): string => l10n.t('{0} · token {1}', cut(map.rows[row]?.label ?? '', room.name), formatCount(position));
  const held = ({ row, position }: Cell): string => {
    const compared = map.taps[row] ?? 0;
    const differing = map.differing[row * map.positions + position] ?? 0;
    if (compared === 0) return l10n.t('not compared');
    const taps = amount(compared, l10n.t('{0} tap'), l10n.t('{0} taps'));
    return differing === 0 ? l10n.t('equal, {0} compared', taps) : l10n.t('{0} of {1} differ', formatCount(differing), taps);
  };
  const grid: Grid = {
    rows: map.rows,
    positions: map.positions,
    first: firstOf(run),
    measures,
    values: () => values,
    boundaries: boundariesOf(run, map.positions),
    holding: (text) => cellsOf(run, map, text),
    place,
    about({ row, position }) {
      const kind = map.rows[row]?.kind;
      const id = promptIds[position];
      return `${kind === undefined ? '' : kindWords[kind].name}${id === undefined ? '' : ` · ${l10n.t('id {0}', id)}`}`;
    },
    facts: (cell) => [[l10n.t('taps'), held(cell)]],
    words: (cell) => `${place(cell)}: ${held(cell)}`,
    english: () => inEnglish(() => ({ ...grid, measures: measuresOf() })),
  };
  return grid;
}
