// Switches of an experiment against what there is.
import { limits } from '../../shared/experiment';
import { badInput } from '../problem';
import { burstSwitchInfos } from '../speculative/burstSwitches';
import type { ModelInfo, SwitchInfo, Switches } from '../types';

/** Refuses switches that this model does not have, with what it has. */
export function checkSwitches(switches: Switches, info: ModelInfo, more: readonly SwitchInfo[] = []): void {
  const all = [...info.switches, ...more];
  for (const [name, value] of Object.entries(switches)) {
    const known = all.find((one) => one.name === name);
    if (known === undefined) throw badInput(`There is no switch "${name}"`, `switches.${name}`, `This model's switches are ${all.map((one) => one.name).join(', ')}.`);
    checkValue(known, value);
  }
}

/** The same for an experiment with a burst. */
export const checkBurstSwitches = (switches: Switches, info: ModelInfo): void => checkSwitches(switches, info, burstSwitchInfos);

function checkValue({ name, values, min = 0, max = limits.threads }: SwitchInfo, value: string | number): void {
  const refuse = (action: string): never => {
    throw badInput(`${name} cannot be ${JSON.stringify(value)}`, `switches.${name}`, action);
  };
  if (values !== null) return values.includes(String(value)) ? undefined : refuse(`Use one of ${values.join(', ')}.`);
  // The engine limits a whole number outside of these, and says so.
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) refuse(`Use a whole number from ${min} to ${max}.`);
}
