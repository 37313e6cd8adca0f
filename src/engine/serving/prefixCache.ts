// States of earlier prompts, for requests that begin with the same tokens. Forks share pages: an entry costs what nobody else holds.
import { append } from '../../shared/append';
import type { Candidate, DraftSession, Session } from '../types';
import type { Piece } from './request';

/** The logits after a whole prompt, for a request that repeats it. */
export interface LastRow {
  readonly logits: Float32Array;
  readonly top: readonly Candidate[];
}

/** What a drafter has seen of an entry's tokens. It was told the token after them as well, so it serves only prompts that go on with `next`. */
export interface SeenDraft {
  readonly draft: DraftSession;
  readonly next: number;
}

export interface Entry {
  readonly ids: readonly number[];
  readonly session: Session;
  readonly seen: SeenDraft | null;
  /** The forwards that made it. */
  readonly partition: readonly Piece[];
  /** Null where the state stands in the midst of a prompt. */
  readonly last: LastRow | null;
}

export interface CacheLimits {
  readonly entries: number;
  /** Of all entries together. */
  readonly tokens: number;
}

/** What a request needs of an entry. `greedy`: after the whole prompt it chooses the best candidate, which is what the drafter was told. */
export interface Wanted {
  readonly draft: boolean;
  readonly greedy: boolean;
}

export class PrefixCache {
  /** Least recently used first. */
  private readonly entries: Entry[] = [];

  constructor(private readonly limits: CacheLimits) {}

  get size(): number {
    return this.entries.length;
  }

  /** The longest entry that `ids` begin with. The entry stays here: fork what it holds. */
  find(ids: readonly number[], wanted: Wanted): Entry | null {
    const found = this.entries.filter((entry) => serves(entry, ids, wanted)).reduce<Entry | null>((best, entry) => (best === null || entry.ids.length > best.ids.length ? entry : best), null);
    if (found !== null) append(this.entries, this.entries.splice(this.entries.indexOf(found), 1));
    return found;
  }

  /** Takes the entry over, and closes what no longer fits. */
  add(entry: Entry): void {
    const same = this.entries.findIndex(({ ids, seen }) => seen?.next === entry.seen?.next && ids.length === entry.ids.length && begins(entry.ids, ids));
    for (const old of same < 0 ? [] : this.entries.splice(same, 1)) close(old);
    this.entries.push(entry);
    while (this.entries.length > this.limits.entries || this.tokens > this.limits.tokens) for (const old of this.entries.splice(0, 1)) close(old);
  }

  clear(): void {
    for (const entry of this.entries.splice(0)) close(entry);
  }

  private get tokens(): number {
    return this.entries.reduce((sum, { ids }) => sum + ids.length, 0);
  }
}

const begins = (ids: readonly number[], prefix: readonly number[]): boolean => prefix.length <= ids.length && prefix.every((id, i) => id === ids[i]);

function serves({ ids: prefix, seen, last }: Entry, ids: readonly number[], { draft, greedy }: Wanted): boolean {
  if (!begins(ids, prefix)) return false;
  const whole = prefix.length === ids.length;
  if (whole && last === null) return false;
  if (!draft) return true;
  return seen !== null && (whole ? greedy && last?.top[0]?.id === seen.next : ids[prefix.length] === seen.next);
}

function close({ session, seen }: Entry): void {
  session.close();
  seen?.draft.close();
}
