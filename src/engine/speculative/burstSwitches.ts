// Switches of the burst loop. They stand beside the engine's own in an experiment, under names that begin with "burst.".
import type { SwitchInfo, Switches } from '../types';

export type PrefillPath = 'causal' | 'verify';

export interface BurstSwitches {
  /** How the burst runs the prompt. */
  readonly prefill: PrefillPath;
}

export const burstSwitchInfos: readonly SwitchInfo[] = [
  {
    name: 'burst.prefill',
    values: ['causal', 'verify'],
    default: 'causal',
    description: 'causal: the prompt as classic decode runs it. verify: the prompt as if it were one verify block, the defect that made bursts leave classic text',
  },
];

export const isBurstSwitch = (name: string): boolean => name.startsWith('burst.');

/** The switches of an experiment by whom they belong to; `burst` resolved. */
export function splitSwitches(switches: Switches): { engine: Switches; burst: BurstSwitches } {
  const engine = Object.fromEntries(Object.entries(switches).filter(([name]) => !isBurstSwitch(name)));
  return { engine, burst: { prefill: switches['burst.prefill'] === 'verify' ? 'verify' : 'causal' } };
}

/** As a report holds them: the engine's resolved switches and the burst's. */
export const joinSwitches = (engine: Switches, { prefill }: BurstSwitches): Record<string, string | number> => ({ ...engine, 'burst.prefill': prefill });
