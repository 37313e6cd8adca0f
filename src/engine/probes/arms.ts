// What the arms of a run had in common, as a report's provenance wants it.
import type { ArmFacts } from '../provenance';
import { joinSwitches, type BurstSwitches } from '../speculative/burstSwitches';
import type { Switches } from '../types';

export interface Ran {
  /** Of the engine, as it resolved them. */
  readonly switches: Switches;
  /** Null where no burst is run. */
  readonly burst: BurstSwitches | null;
  readonly notes: readonly string[];
  /** So many computed; stands where no switch says how many. */
  readonly threads: number;
  readonly isa: string;
  readonly kernelsA: Iterable<string>;
  readonly kernelsB: Iterable<string>;
  readonly seeds?: string;
}

/** Every name once, in order. */
export const namesOf = (names: Iterable<string>): string[] => [...new Set(names)].sort();

export function armsOf({ switches, burst, notes, threads, isa, kernelsA, kernelsB, seeds = '' }: Ran): ArmFacts {
  return {
    switches: burst === null ? { ...switches } : joinSwitches(switches, burst),
    threads: Number(switches['threads'] ?? threads),
    isa,
    notes,
    kernelsA: namesOf(kernelsA),
    kernelsB: namesOf(kernelsB),
    seeds,
  };
}
