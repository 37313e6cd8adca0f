// The limits of the machine in one round: each several times, since the first ones meet a clock that has not risen yet.
import type { NativeEngine } from '../../src/engine/native/nativeEngine';
import { isa } from './exact';

export const limitNames = ['read', 'int16', 'fp32'] as const;
export type LimitName = (typeof limitNames)[number];

/** Per limit the rates of all tries. */
export type LimitRates = Record<LimitName, number[]>;

const tries = 7;

export async function measureLimits(engine: NativeEngine, threads: number): Promise<LimitRates> {
  const rates: LimitRates = { read: [], int16: [], fp32: [] };
  for (const name of limitNames) rates[name] = (await engine.measure(name, threads, { rounds: tries, ...(isa === undefined ? {} : { isa }) })).perSecond;
  return rates;
}
