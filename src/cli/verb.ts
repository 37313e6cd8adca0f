// What all verbs share: how they end. Exit codes: 0 equal, 1 drift/tie/defect, 2 usage or bad input, 3 declined, void or incomplete.
import { constants } from 'node:os';
import process from 'node:process';
import { throwIfCancelled, toProblem } from '../engine/problem';
import { type ProgressLine, printProblem, progressLine } from './terminal';

export type ExitCode = 0 | 1 | 2 | 3;

export interface Verb {
  /** Aborted by the first Ctrl+C, by SIGTERM, and by a terminal that closes. */
  readonly signal: AbortSignal;
  readonly progress: ProgressLine;
  /**
   * The job that `signal` aborts has ended: what follows is computed in one piece, which a handler in JavaScript could not interrupt, so that signals end the process
   * as the system does. Stops the progress line; throws the cancellation where the job had ended before it saw that it was aborted.
   */
  readonly settled: () => void;
}

const stopping = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal asks to stop and keep what there is, a second ends at once. A hang-up does not: of a terminal that closes it comes twice, from the shell and from the
 * system. To the end of the process, so that a signal that comes while it closes does not undo what it has said. Gives whether there was a hang-up.
 */
function listenForSignals(controller: AbortController): () => boolean {
  let hungUp = false;
  const onSignal = (signal: (typeof stopping)[number]): void => {
    if (controller.signal.aborted && signal !== 'SIGHUP') process.exit(128 + constants.signals[signal]);
    hungUp ||= signal === 'SIGHUP';
    controller.abort();
  };
  for (const signal of stopping) process.on(signal, onSignal);
  return () => hungUp;
}

/** Handlers of libraries go as well: the spinner's is there to show the cursor again, which it has done by then. */
function settle(aborted: AbortSignal, progress: ProgressLine): void {
  progress.stop();
  throwIfCancelled(aborted);
  for (const signal of stopping) process.removeAllListeners(signal);
}

/** Node aborts at its end, with a core dump, where its terminal is gone; and nobody is there to read another exit code than that of the signal. */
function endByHangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** Sets the exit code of the process; a problem becomes one sentence on standard error. */
async function endWith(work: () => Promise<ExitCode>, progress?: ProgressLine): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    progress?.stop();
    const { data } = toProblem(error);
    printProblem(data);
    process.exitCode = data.kind === 'input' ? 2 : 3;
  }
}

/** Runs a verb that is ended by its signal: it keeps what there is. */
export async function runVerb(work: (verb: Verb) => Promise<ExitCode>): Promise<void> {
  const controller = new AbortController();
  const hungUp = listenForSignals(controller);
  const progress = progressLine();
  try {
    await endWith(() => work({ signal: controller.signal, progress, settled: () => settle(controller.signal, progress) }), progress);
  } finally {
    progress.stop();
    if (hungUp()) endByHangUp();
  }
}

/** Runs a verb that reads, computes and prints: there is nothing to keep, so signals are left to the system, which reaches it at any time. */
export const runReader = (work: () => Promise<ExitCode>): Promise<void> => endWith(work);
