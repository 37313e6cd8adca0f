// What the gate found, for as long as the process lives: the same model under the same switches gives the same bytes.
import type { GateAttempt } from '../../../shared/results/gate';
import type { ModelInfo, Switches } from '../../types';
import type { GateInput } from './checks';

/** What a verdict depends on; anything else may change without asking again. `switches`: as the engine resolved them, threads and instruction set among them. */
export function memoKey({ fingerprint }: Pick<ModelInfo, 'fingerprint'>, switches: Switches, width: number, { draws, promptLength, walk, batch }: GateInput, taps: readonly string[]): string {
  const sorted = Object.entries(switches).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}=${value}`);
  return [fingerprint, ...sorted, `width=${width}`, `draws=${draws}`, `prompt=${promptLength}`, `walk=${walk}`, `batch=${batch}`, `taps=${taps.join('+')}`].join(' ');
}

export class GateMemo {
  private readonly known = new Map<string, GateAttempt>();

  get(key: string): GateAttempt | undefined {
    return this.known.get(key);
  }

  /** A probe that did not run may run next time. */
  set(key: string, attempt: GateAttempt): void {
    if (attempt.exactness !== 'not run') this.known.set(key, attempt);
  }
}
