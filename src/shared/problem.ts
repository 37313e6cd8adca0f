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

/** Anything thrown, as a Problem. What has no data of its own is our fault. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const data: unknown = error instanceof Error && 'data' in error ? error.data : undefined;
  if (isProblemData(data)) return new Problem(data, { cause: error });
  const title = error instanceof Error ? error.message : String(error);
  return new Problem({ kind: 'engine', title, place: '', action: 'The log says more' }, { cause: error });
}

function isProblemData(value: unknown): value is ProblemData {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, title, place, action } = value as Partial<Record<keyof ProblemData, unknown>>;
  return typeof title === 'string' && typeof place === 'string' && typeof action === 'string' && kinds.some((known) => known === kind);
}

const kinds: readonly ProblemData['kind'][] = ['input', 'environment', 'engine', 'cancelled'];
