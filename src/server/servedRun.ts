// A served run: the engine in a process of its own, and the port that answers for it.
import { setTimeout as pause } from 'node:timers/promises';
import type { AppOptions } from './app';
import type { ServedFacts, ServedState } from './completer';
import { EngineCompleter, type EngineStart } from './engineCompleter';
import { Port, type Address } from './listen';

/** Prompts of some megabytes, and their JSON. */
const bodyBytes = 32 << 20;
const askAgainMs = 250;

export type Gate = NonNullable<ServedState['gate']>;

export interface ServedRunOptions extends Address, Omit<AppOptions, 'completer' | 'bodyBytes'> {
  readonly engine: EngineStart;
}

export class ServedRun {
  private readonly stop = new AbortController();

  private constructor(
    private readonly port: Port,
    private readonly completer: EngineCompleter,
  ) {}

  /** Throws a Problem for a model that cannot be served and for a port that cannot be opened. */
  static async start({ engine, host, port: number, ...guarded }: ServedRunOptions): Promise<ServedRun> {
    // First the port: where it is taken, no model is loaded for nothing and no capture file is left behind.
    const port = await Port.open({ host, port: number });
    try {
      const starting = EngineCompleter.start(engine);
      // The modules that answer requests are loaded while the engine process loads the model.
      const [completer, { answerOf }] = await Promise.all([starting, import('./answer')]);
      port.serve(answerOf({ ...guarded, completer, bodyBytes }));
      return new ServedRun(port, completer);
    } catch (error) {
      await port.close();
      throw error;
    }
  }

  get url(): string {
    return this.port.url;
  }

  get facts(): ServedFacts {
    return this.completer.facts;
  }

  /** Hears of the engine's going away, with the reason, and of its return, with null. */
  onAway(listener: (away: string | null) => void): void {
    this.completer.onAway(listener);
  }

  /** What the gate found, when it has; null when the run ends before. An engine that is away for a moment is asked again. */
  async gate(): Promise<Gate | null> {
    while (!this.stop.signal.aborted) {
      const found = await this.completer.state().then(({ gate }) => gate, () => null);
      if (found !== null) return found;
      await pause(askAgainMs, undefined, { signal: this.stop.signal }).catch(() => undefined);
    }
    return null;
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.port.close();
    await this.completer.close();
  }
}
