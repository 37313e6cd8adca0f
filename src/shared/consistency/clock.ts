// What a clock said: neither negative nor more than one can say.
import type { RunFacts } from '../report';
import type { SweepTimings, TimedArm } from '../results/widths';
import { faultIn, firstOf, lengths, outside, placed } from './parts';

/** Milliseconds, tokens a second and ratios of these: far beyond any of them, and sums of many are still numbers. */
const most = 1e15;

const faultOfOne = (value: number): string => outside(value, 0, most);

const faultOfRecord = (record: Readonly<Record<string, number>>, at: string): string => firstOf(Object.entries(record), ([name, value]) => placed(`${at}.${name.slice(0, 64)}`, faultOfOne(value)));

export function faultOfClock({ durationMs, cost, sweep }: RunFacts): string {
  return placed('run.durationMs', faultOfOne(durationMs)) || faultOfRecord(cost, 'run.cost') || (sweep === undefined ? '' : faultOfSweep(sweep, 'run.sweep'));
}

function faultOfSweep({ open, close, arms }: SweepTimings, at: string): string {
  return faultIn(`${at}.open`, open, faultOfOne) || faultIn(`${at}.close`, close, faultOfOne) || firstOf(arms, (arm, i) => faultOfArm(arm, `${at}.arms.${i}`));
}

function faultOfArm({ tokensPerSecond, againstClassic, phases }: TimedArm, at: string): string {
  return (
    lengths(at, { againstClassic }, tokensPerSecond.length) ||
    faultIn(`${at}.tokensPerSecond`, tokensPerSecond, faultOfOne) ||
    faultIn(`${at}.againstClassic`, againstClassic, faultOfOne) ||
    faultOfRecord(phases, `${at}.phases`)
  );
}
