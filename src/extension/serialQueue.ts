// One piece of work at a time, in order of asking.
export class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private length = 0;

  /** How many are running or waiting. */
  get size(): number {
    return this.length;
  }

  /** Runs `work` when all earlier work has ended, well or not. An abort while it waits rejects with the signal's reason and gives up the place. */
  async add<R>(work: () => Promise<R>, signal: AbortSignal): Promise<R> {
    const turn = this.tail;
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    this.tail = turn.then(() => left);
    this.length += 1;
    try {
      await Promise.race([turn, rejection(signal)]);
      signal.throwIfAborted();
      return await work();
    } finally {
      this.length -= 1;
      leave();
    }
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
