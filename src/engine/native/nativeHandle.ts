// Handles of the library, freed once: by close(), or as a safety net when their owner is collected.
import { EngineError } from '../engineError';
import type { NativeLibrary } from './library';

interface Held {
  readonly library: NativeLibrary;
  readonly handles: Set<number>;
}

function free({ library }: Held, handle: number): void {
  library.raw('moire_handle_free', handle, null);
}

const forgotten = new FinalizationRegistry<Held>((held) => {
  for (const handle of held.handles) free(held, handle);
});

/** Handles that came in one result. Watched as one: a forward with all its taps has hundreds, and a watch of each would cost more than they do. */
export class HandleGroup {
  private readonly held: Held;

  constructor(
    readonly library: NativeLibrary,
    handles: Iterable<number>,
  ) {
    this.held = { library, handles: new Set(handles) };
    forgotten.register(this, this.held, this);
  }

  /** Idempotent. */
  free(handle: number): void {
    if (!this.held.handles.delete(handle)) return;
    free(this.held, handle);
    if (this.held.handles.size === 0) forgotten.unregister(this);
  }

  /** Frees what is left. */
  freeAll(): void {
    for (const handle of this.held.handles) this.free(handle);
  }
}

/** Owner of one model, session or tensor handle. */
export class NativeHandle {
  private readonly group: HandleGroup;

  /** `group`: the one of its result, which knows `handle`; one of its own by default. */
  constructor(
    readonly library: NativeLibrary,
    readonly handle: number,
    group?: HandleGroup,
  ) {
    this.group = group ?? new HandleGroup(library, [handle]);
  }

  /** Idempotent. What still uses the object keeps it alive in the engine. */
  close(): void {
    this.group.free(this.handle);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The handle of an object that a request names at `where`. Throws EngineError E_INVALID with `otherwise` if it is not a `kind` of this library. */
export function ownHandle(library: NativeLibrary, object: unknown, kind: abstract new (...values: never[]) => NativeHandle, where: string, otherwise: string): number {
  if (object instanceof kind && object.library === library) return object.handle;
  throw new EngineError('E_INVALID', where, otherwise);
}
