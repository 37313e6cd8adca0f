// What stands in the rows that a round rejects. Rejected rows write keys, values and states before the rewind, so right ids there would hide what a rewind leaves behind.
import type { Fill } from '../../../shared/experiment';
import { fnv1a } from '../numbers';

/** The id that probes in the field put into rejected rows. */
const wrongId = 9999;

export interface FillPlace {
  readonly round: number;
  readonly row: number;
  /** The id that the reference has there, if it goes so far. */
  readonly right: number | undefined;
  /** The draft that the log has there. */
  readonly logged: number | undefined;
}

/** The id for a rejected row; never the right one but for `correct`. */
export function fillId(fill: Fill, { round, row, right, logged }: FillPlace, vocab: number): number {
  const wrong = other(wrongId, right, vocab);
  switch (fill) {
    case 'correct':
      return right ?? wrong;
    case 'logged':
      return logged ?? wrong;
    case 'wrong':
      return wrong;
    case 'random':
      return other(fnv1a(`${round} ${row}`), right, vocab);
  }
}

/** `id` within the vocabulary, or its neighbour where it is the right one. A vocabulary of one has no other. */
function other(id: number, right: number | undefined, vocab: number): number {
  const within = id % vocab;
  return within === right ? (within + 1) % vocab : within;
}
