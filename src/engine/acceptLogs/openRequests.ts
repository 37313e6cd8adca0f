// Requests whose end was not read yet, as they stand: for those who look at a log while it is being read.
import type { CapturedRequest } from '../../shared/capture';
import type { Burst } from './burst';
import { countsOf } from './counts';

interface Seen {
  readonly rounds: number;
  readonly request: CapturedRequest;
}

/** Only a burst that grew since the last look is counted again: a capture of Moire has thousands that are open until its end. */
export class OpenRequests {
  private readonly seen = new WeakMap<Burst, Seen>();

  from(bursts: Iterable<Burst>, ordinal: number): CapturedRequest[] {
    return [...bursts].map((burst, i) => this.of(burst, ordinal + i));
  }

  private of(burst: Burst, ordinal: number): CapturedRequest {
    const old = this.seen.get(burst);
    if (old?.rounds === burst.rounds.length && old.request.ordinal === ordinal) return old.request;
    const request = openRequest(burst, ordinal);
    this.seen.set(burst, { rounds: burst.rounds.length, request });
    return request;
  }
}

function openRequest({ name, format, rounds, accepted, interleaved, first }: Burst, ordinal: number): CapturedRequest {
  const counts = countsOf({ accepted, drafted: rounds.map(({ width }) => (width ?? 1) - 1) });
  const open = { kind: 'unfinished', complete: false, reason: 'its end is not read yet', firstBonus: rounds[0]?.bonus ?? null } as const;
  return { ordinal, request: name, format: format.id, grade: format.grade ?? 'D', interleaved, rounds: rounds.slice(), emittedIds: null, promptIds: null, flags: [], facts: {}, line: first.number, ...open, ...counts };
}
