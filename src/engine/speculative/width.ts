// The width of a burst, and where it comes from: what the user says beats what the drafter declares, that beats the default.
import { plural } from '../../shared/format';
import { badInput } from '../problem';
import type { DrafterInfo } from '../types';

export interface Width {
  readonly asked: number;
  /** Rows of a verify block that really run. */
  readonly used: number;
  /** "asked for", "declared by the drafter", "default of mtp drafters" */
  readonly from: string;
  /** "" when as asked. */
  readonly note: string;
}

const defaults: Readonly<Record<DrafterInfo['family'], number>> = { dflash: 16, mtp: 4 };

/** Throws a Problem for a width below 2, which has no drafts. */
export function widthOf(drafter: DrafterInfo, asked: number | undefined): Width {
  const [wanted, from]: [number, string] =
    asked !== undefined ? [asked, 'asked for'] : drafter.blockSize !== null ? [drafter.blockSize, 'declared by the drafter'] : [defaults[drafter.family], `default of ${drafter.family} drafters`];
  if (wanted < 2) throw badInput(`A width of ${wanted} has no row for a draft`, 'width', 'Use 2 or more');
  const most = mostRows(drafter);
  const used = Math.min(wanted, most);
  const note = used === wanted ? '' : `width ${wanted} was asked for; the drafter fills blocks of at most ${plural(most, 'row')}, so ${used} are used`;
  return { asked: wanted, used, from, note };
}

/** Every width once, by what is used: two that the drafter limits to one run as one. */
export function widthsOf(drafter: DrafterInfo, asked: readonly number[]): Width[] {
  const all = asked.map((one) => widthOf(drafter, one));
  return all.filter(({ used }, i) => all.findIndex((one) => one.used === used) === i);
}

/** A block drafter was trained on blocks up to its declared size; beyond, its masks stand where it never saw any. */
function mostRows({ family, blockSize }: DrafterInfo): number {
  return family === 'dflash' && blockSize !== null ? blockSize : Infinity;
}
