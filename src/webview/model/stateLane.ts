// What the state holds after what each position gave, as a lane below the tokens: rows of the cache, and what a rewind was asked to drop and did.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import { amount } from './amount';
import type { Facts } from './grid';
import { notCompared, otherChoice } from './measures';
import { spanAt } from './spanAt';

/** The state once a prefill or a round has ended, told at all positions that it gave. */
export interface StateStep {
  readonly from: number;
  readonly kept: number;
  /** "after the prefill", "after round 3" */
  readonly when: string;
  /** Rows of the cache. */
  readonly live: number;
  /** Rows that a rewind was to drop, and those that it dropped; null: not told. */
  readonly asked: number | null;
  readonly dropped: number | null;
  /** As `sameChoice` and `otherChoice`, where the state was compared; else 0. */
  readonly differs: number;
  readonly facts: Facts;
}

export interface StateLane {
  readonly name: string;
  readonly positions: number;
  /** -1: not told. 0: as it is to be. More: other bytes, or other rows than were asked for. */
  readonly value: (position: number) => number;
  readonly text: (position: number) => string;
  /** Positions that the text may take, up to its own. */
  readonly room: (position: number) => number;
  readonly about: (position: number) => string;
  readonly facts: (position: number) => Facts;
}

const isWrong = ({ asked, dropped }: StateStep): boolean => asked !== null && dropped !== null && asked !== dropped;

const rowsInWords = (count: number): string => amount(count, l10n.t('{0} row'), l10n.t('{0} rows'));

function inWords({ when, live, asked, dropped }: StateStep): string {
  if (asked === null || asked === 0) return `${when}: ${rowsInWords(live)}`;
  if (dropped === null) return l10n.t('{0}: {1}, {2} asked to drop', when, rowsInWords(live), formatCount(asked));
  return l10n.t('{0}: {1}, {2} asked to drop, {3} dropped', when, rowsInWords(live), formatCount(asked), formatCount(dropped));
}

/** "3: 2 of 4 rows kept" */
export const keptInWords = (round: number, kept: number, rows: number): string => l10n.t('{0}: {1} of {2} kept', round, formatCount(kept), rowsInWords(rows));

/** `steps`: ascending, without overlap. */
export function stateLane(name: string, steps: readonly StateStep[]): StateLane {
  const last = steps.at(-1);
  const at = (position: number): StateStep | undefined => spanAt(steps, position);
  return {
    name,
    positions: last === undefined ? 0 : last.from + last.kept,
    value(position) {
      const step = at(position);
      return step === undefined ? notCompared : isWrong(step) ? otherChoice : step.differs;
    },
    text(position) {
      const step = at(position);
      return step !== undefined && position === step.from + step.kept - 1 ? String(step.live) : '';
    },
    room: (position) => at(position)?.kept ?? 1,
    about(position) {
      const step = at(position);
      return step === undefined ? l10n.t('not told') : inWords(step);
    },
    facts(position) {
      const step = at(position);
      if (step === undefined) return [];
      const { live, asked, dropped, facts } = step;
      return [[l10n.t('in the cache'), rowsInWords(live)], ...(asked === null ? [] : [[l10n.t('asked to drop'), rowsInWords(asked)] as const]), ...(dropped === null ? [] : [[l10n.t('dropped'), rowsInWords(dropped)] as const]), ...facts];
    },
  };
}
