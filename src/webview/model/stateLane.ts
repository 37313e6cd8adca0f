// What the state holds after what each position gave, as a lane below the tokens: rows of the cache, and what a rewind was asked to drop and did.
import { formatCount, plural } from '../../shared/format';
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
  readonly about: (position: number) => string;
  readonly facts: (position: number) => Facts;
}

const isWrong = ({ asked, dropped }: StateStep): boolean => asked !== null && dropped !== null && asked !== dropped;

function inWords({ when, live, asked, dropped }: StateStep): string {
  const rewind = asked === null || asked === 0 ? '' : `, ${formatCount(asked)} asked to drop${dropped === null ? '' : `, ${formatCount(dropped)} dropped`}`;
  return `${when}: ${plural(live, 'row')}${rewind}`;
}

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
    about(position) {
      const step = at(position);
      return step === undefined ? 'not told' : inWords(step);
    },
    facts(position) {
      const step = at(position);
      if (step === undefined) return [];
      const { live, asked, dropped, facts } = step;
      const rows = (count: number): string => plural(count, 'row');
      return [['in the cache', rows(live)], ...(asked === null ? [] : [['asked to drop', rows(asked)] as const]), ...(dropped === null ? [] : [['dropped', rows(dropped)] as const]), ...facts];
    },
  };
}
