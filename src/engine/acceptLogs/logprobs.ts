// Watches the log probabilities of replies: some servers return 0 for every token when they speculate, which is no measurement.
import { isObject, listAt, objectAt, walkObjects } from './jsonText';
import type { JsonObject } from './reader';

/** A single token may well have probability one. */
const enough = 2;

export class LogprobWatch {
  private zero = 0;
  private total = 0;

  private add(value: unknown): void {
    if (typeof value !== 'number') return;
    this.total += 1;
    if (value === 0) this.zero += 1;
  }

  /** Counts the log probabilities that stand in this object, not deeper. */
  see(object: JsonObject): void {
    const logprobs = objectAt(object, 'logprobs');
    const items = (logprobs === null ? null : listAt(logprobs, 'content')) ?? listAt(object, 'completion_probabilities') ?? [];
    for (const item of items) if (isObject(item)) this.add(item['logprob']);
    for (const value of (logprobs === null ? null : listAt(logprobs, 'token_logprobs')) ?? []) this.add(value);
  }

  /** Flags for a reply and the pieces of it that were seen before; the watch begins anew. */
  flags(reply: JsonObject): string[] {
    walkObjects(reply, (object) => {
      this.see(object);
      return true;
    });
    const allZero = this.total >= enough && this.zero === this.total;
    this.zero = 0;
    this.total = 0;
    return allZero ? ['logprobs-all-zero'] : [];
  }
}

export const allZeroWarning = 'every token logprob is exactly 0: this server does not return log probabilities when it speculates, so margins cannot be read from it';
