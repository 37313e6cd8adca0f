// Handles of the library, freed once: by close(), or as a safety net when their owner is collected.
import type { NativeLibrary } from './library';

interface Held {
  readonly library: NativeLibrary;
  readonly handle: number;
}

function free({ library, handle }: Held): void {
  library.raw('moire_handle_free', handle, null);
}

const forgotten = new FinalizationRegistry<Held>(free);

/** Owner of one model, session or tensor handle. */
export class NativeHandle {
  private live = true;

  constructor(
    readonly library: NativeLibrary,
    readonly handle: number,
  ) {
    forgotten.register(this, { library, handle }, this);
  }

  /** Idempotent. What still uses the object keeps it alive in the engine. */
  close(): void {
    if (!this.live) return;
    this.live = false;
    forgotten.unregister(this);
    free(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
