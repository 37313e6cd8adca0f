// An error for people: what happened, where, and what to do. Everything that leaves the engine side as an error is one.
import type { ProblemData } from '../shared/engineProtocol';
import { Problem, sentenceOf } from '../shared/problem';
import { EngineError, type EngineStatus } from './engineError';

export { Problem, sentenceOf };

export function badInput(title: string, place: string, action: string): Problem {
  return new Problem({ kind: 'input', title, place, action });
}

export function cancelled(): Problem {
  return new Problem({ kind: 'cancelled', title: 'The run was cancelled', place: '', action: '' });
}

/** Throws the cancellation once `signal` is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled();
}

/** Whose fault a status is, and what a user can do where the engine's own sentence does not say it. */
const meanings: Record<EngineStatus, { kind: ProblemData['kind']; action: string }> = {
  E_INTERNAL: { kind: 'engine', action: 'Run it again; if it stays, run the doctor and report its text' },
  E_INVALID: { kind: 'input', action: '' },
  E_HANDLE: { kind: 'engine', action: 'Run it again; if it stays, run the doctor and report its text' },
  E_CANCELLED: { kind: 'cancelled', action: '' },
  E_TIMEOUT: { kind: 'engine', action: 'Run it again' },
  E_BUSY: { kind: 'engine', action: 'Run it again' },
  E_BUFFER: { kind: 'engine', action: 'Run it again; if it stays, run the doctor and report its text' },
  E_VERSION: { kind: 'environment', action: '' },
  E_IO: { kind: 'input', action: '' },
  E_FORMAT: { kind: 'input', action: '' },
  E_UNSUPPORTED: { kind: 'input', action: '' },
  E_MEMORY: { kind: 'environment', action: 'Close other programs, or take a smaller model, a shorter prompt or smaller widths' },
  E_STATE: { kind: 'engine', action: 'Run it again; if it stays, run the doctor and report its text' },
};

/** Engines say "is empty" of the place they name: the place is the subject then. */
function titleOf({ message, where }: EngineError): string {
  return where !== '' && /^[a-z]/.test(message) && !message.includes(where) ? `${where}: ${message}` : message;
}

/** Anything thrown on the engine side, as a Problem. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof EngineError) {
    const { kind, action } = meanings[error.status];
    return kind === 'cancelled' ? cancelled() : new Problem({ kind, title: titleOf(error), place: error.where, action }, { cause: error });
  }
  const title = error instanceof Error ? error.message : String(error);
  return new Problem({ kind: 'engine', title, place: '', action: 'Run it again; if it stays, run the doctor and report its text' }, { cause: error });
}
