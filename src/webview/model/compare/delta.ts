// What became of each cell between two reports, as a map of its own.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../../shared/format';
import type { Cell, Facts, Grid, Measure, MeasureName } from '../grid';
import { notCompared } from '../measures';
import type { Aligned } from './align';

/** From the mildest to the gravest, so that cells smaller than a pixel can be merged by maximum: a new difference is never lost. */
export const fates = ['fixed', 'less', 'same', 'worse', 'new'] as const;
export type Fate = (typeof fates)[number];

/** In the language of the moment: files have the English ones. */
const wordsOf = (): Readonly<Record<Fate, string>> => ({ fixed: l10n.t('fixed'), less: l10n.t('still differs, less'), same: l10n.t('differs as before'), worse: l10n.t('differs more'), new: l10n.t('new') });
export const fateSigns: Readonly<Record<Fate, string>> = { fixed: '✓', less: '↓', same: '=', worse: '↑', new: '+' };

/** Code of a cell's value, as in measures.ts: -1 not in both, 0 equal in both, else 1 + the fate. */
export function fateCode(a: number, b: number): number {
  if (a < 0 || b < 0) return notCompared;
  if (a === 0) return b === 0 ? 0 : fates.indexOf('new') + 1;
  if (b === 0) return fates.indexOf('fixed') + 1;
  return fates.indexOf(b < a ? 'less' : b > a ? 'worse' : 'same') + 1;
}

const fateOf = (code: number): Fate | undefined => fates[code - 1];

const deltaMeasure = ({ name, label, describes }: Measure): Measure => ({
  name,
  label,
  describes: l10n.t('What became of each cell from A to B. {0}', describes),
  scale: 'delta',
  choices: fates.map((fate) => wordsOf()[fate]),
  signs: fates.map((fate) => fateSigns[fate]),
  tick: formatCount,
});

/** What a cell came to, in words. */
function wordOf(code: number): string {
  const fate = fateOf(code);
  return fate === undefined ? (code === 0 ? l10n.t('equal in both') : l10n.t('not in both')) : wordsOf()[fate];
}

export function deltaGrid({ a, b }: Aligned): Grid {
  const known = new Map<MeasureName, Float64Array>();
  const values = (measure: MeasureName): Float64Array => {
    const made = known.get(measure) ?? codes(a.values(measure), b.values(measure));
    known.set(measure, made);
    return made;
  };
  const [main] = a.measures;
  const at = ({ row, position }: Cell, measure: MeasureName | undefined): number => (measure === undefined ? notCompared : (values(measure)[row * a.positions + position] ?? notCompared));
  const factsOf = (cell: Cell): Facts => [[l10n.t('between A and B'), wordOf(at(cell, main?.name))], ...sided('A', a.facts(cell)), ...sided('B', b.facts(cell))];
  return {
    rows: a.rows,
    positions: a.positions,
    first: null,
    measures: a.measures.map(deltaMeasure),
    values,
    boundaries: b.boundaries,
    // As large as the cells of the tokens beside it.
    ...(b.tokens === undefined ? {} : { tokens: { ...b.tokens, rounds: [] } }),
    sign(cell, measure) {
      const fate = fateOf(at(cell, measure));
      return fate === undefined ? '' : fateSigns[fate];
    },
    holding: (text) => [...new Set([...a.holding(text), ...b.holding(text)])].sort((one, other) => one - other),
    place: placeOf(a, b),
    about: () => '',
    facts: factsOf,
    words: (cell) => `${placeOf(a, b)(cell)}: ${wordOf(at(cell, main?.name))}`,
  };
}

const placeOf = (a: Grid, b: Grid) => (cell: Cell): string => (a.facts(cell).length > 0 ? a.place(cell) : b.place(cell));

const sided = (side: string, facts: Facts): Facts => facts.slice(0, 1).map(([name, value]) => [`${name} ${side}`, value] as const);

const codes = (a: Float64Array, b: Float64Array): Float64Array => Float64Array.from(a, (value, cell) => fateCode(value, b[cell] ?? notCompared));

export interface Counts extends Readonly<Record<Fate, number>> {
  readonly equal: number;
  /** Of all cells of both: in one report alone, or compared in none. */
  readonly notInBoth: number;
}

/** Each cell is counted once. */
export function countsOf(delta: Grid, measure: MeasureName): Counts {
  const found = { fixed: 0, less: 0, same: 0, worse: 0, new: 0, equal: 0, notInBoth: 0 };
  for (const code of delta.values(measure)) found[fateOf(code) ?? (code === 0 ? 'equal' : 'notInBoth')] += 1;
  return found;
}
