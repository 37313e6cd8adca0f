// Ends a text at the first stop text in it, and holds back what could become one.
import { greatest } from '../../shared/extremes';

export class StopText {
  private held = '';

  constructor(private readonly stops: readonly string[]) {}

  /** Text that may be given out, and the stop text that was found; nothing of it or after it is given out. */
  push(text: string): { text: string; stopped: string | null } {
    const all = this.held + text;
    const found = this.stops.map((stop) => ({ stop, at: all.indexOf(stop) })).filter(({ at }) => at >= 0);
    // The earliest; of those that begin at one place the longest.
    const [first] = found.sort((a, b) => a.at - b.at || b.stop.length - a.stop.length);
    if (first !== undefined) {
      this.held = '';
      return { text: all.slice(0, first.at), stopped: first.stop };
    }
    const keep = greatest([0, ...this.stops.map((stop) => overlap(all, stop))]);
    this.held = all.slice(all.length - keep);
    return { text: all.slice(0, all.length - keep), stopped: null };
  }

  /** What was held back, when no more text follows. */
  end(): string {
    const rest = this.held;
    this.held = '';
    return rest;
  }
}

/** Longest end of `text` that begins `stop`. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length -= 1) if (text.endsWith(stop.slice(0, length))) return length;
  return 0;
}
