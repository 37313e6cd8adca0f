// How often a run is told of before it ends: soon enough to watch it, seldom enough not to slow it down.

/** No reader asks for more. */
const usualMs = 500;
/** A tenth of a run's time may go into the telling. */
const share = 9;

export class Pace {
  private next: number;

  /** Milliseconds between two tellings, at least. */
  constructor(private readonly leastMs = usualMs) {
    this.next = performance.now() + leastMs;
  }

  /** Does `tell` if its time has come, and waits for it. */
  async offer(tell: () => Promise<void>): Promise<void> {
    const start = performance.now();
    if (start < this.next) return;
    await tell();
    const end = performance.now();
    this.next = end + (this.leastMs === 0 ? 0 : Math.max(this.leastMs, share * (end - start)));
  }
}
