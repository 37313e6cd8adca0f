// The exact kernels as switches, where an engine has them.
import { exactPromise, promisesExact } from '../../shared/exactPromise';
import type { ModelInfo, Switches } from '../types';

export { promisesExact };

/** The switches with exact kernels in place of the others; null where the engine does not offer them all. */
export function withExactKernels(info: ModelInfo, switches: Switches): Switches | null {
  const promises = Object.entries(exactPromise);
  const offered = promises.every(([name, [value]]) => info.switches.find((one) => one.name === name)?.values?.includes(value) === true);
  if (!offered) return null;
  const replaced = promises.filter(([name, values]) => !values.includes(String(switches[name] ?? ''))).map(([name, [value]]) => [name, value] as const);
  return { ...switches, ...Object.fromEntries(replaced) };
}
