// How a process of ours answers over JSON-RPC: a failure goes out with all that its Problem says, a cancel comes in as a signal.
import { ResponseError, type CancellationToken } from 'vscode-jsonrpc/node';
import type { ProblemData } from '../shared/engineProtocol';
import { toProblem } from './problem';

/** JSON-RPC leaves these numbers to the application; the second is what clients know as "request cancelled". */
const codes = { failed: -32001, cancelled: -32800 } as const;

export async function answer<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { data } = toProblem(error);
    throw new ResponseError<ProblemData>(data.kind === 'cancelled' ? codes.cancelled : codes.failed, data.title, data);
  }
}

export function signalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (token.isCancellationRequested) abort();
  else token.onCancellationRequested(abort);
  return controller.signal;
}
