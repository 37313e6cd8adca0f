// The rounds of one request while its log is being read.
import type { CapturedRound } from '../../shared/capture';
import type { CaptureBuilder } from './builder';
import type { Format, LogLine } from './reader';
import { chainViolation, cutViolation, roundViolations } from './roundAlgebra';
import { quoteOf } from './text';

export class Burst {
  /** Of its request, where the log names it. */
  readonly name: string | null = null;
  readonly rounds: CapturedRound[] = [];
  interleaved = false;
  /** Why it is not whole, "" as long as it is. */
  reason = '';
  first: LogLine = { number: null, text: '' };
  private last: LogLine = { number: null, text: '' };
  /** Number of its last round among all rounds of the log. */
  lastSeen = -1;

  constructor(readonly format: Format) {}

  get nextRound(): number {
    const last = this.rounds.at(-1);
    return last === undefined ? 0 : last.index + 1;
  }

  /** The bonus of the next round. */
  get bonus(): number | null {
    return this.rounds.at(-1)?.emitted?.at(-1) ?? null;
  }

  get accepted(): number[] {
    return this.rounds.map(({ accepted }) => accepted);
  }

  /** Takes a round and checks it, alone and against the one before. `seen` counts all rounds of the log. */
  add(capture: CaptureBuilder, round: CapturedRound, at: LogLine, seen: number): void {
    const before = this.rounds.at(-1);
    if (before === undefined) {
      this.first = { number: at.number, text: quoteOf(at.text) };
      capture.begins(this);
    } else {
      for (const violation of cutViolation(before)) capture.find(violation, this.last);
      for (const violation of chainViolation(before, round)) capture.find(violation, at);
      if (this.lastSeen !== seen - 1) this.interleaved = true;
    }
    for (const violation of roundViolations(round)) capture.find(violation, at);
    this.rounds.push(round);
    this.last = { number: at.number, text: quoteOf(at.text) };
    this.lastSeen = seen;
  }
}
