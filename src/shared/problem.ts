// An error for people: what happened, where, and what to do.
import type { ProblemData } from './engineProtocol';

/** One plain sentence or two, as a terminal or a message shows them. */
export function sentenceOf({ title, place, action }: ProblemData): string {
  const where = place === '' || title.includes(place) ? '' : ` (${place})`;
  return [`${title.replace(/[.\s]+$/, '')}${where}`, action]
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

export class Problem extends Error {
  constructor(
    readonly data: ProblemData,
    options?: ErrorOptions,
  ) {
    super(data.title, options);
    this.name = 'Problem';
  }

  get sentence(): string {
    return sentenceOf(this.data);
  }
}
