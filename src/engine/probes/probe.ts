// What every probe is given besides its experiment.
import type { RunProgress } from '../../shared/engineProtocol';

export interface ProbeCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
}

/** Milliseconds per phase, by name. */
export class Stopwatch {
  readonly cost: Record<string, number> = {};

  /** Runs `work` and adds its time to `phase`. */
  async time<T>(phase: string, work: Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work;
    } finally {
      this.cost[phase] = (this.cost[phase] ?? 0) + performance.now() - started;
    }
  }
}
