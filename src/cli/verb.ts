// What all verbs share: how they end. Exit codes: 0 equal, 1 drift/tie/defect, 2 usage or bad input, 3 declined, void or incomplete.
import process from 'node:process';
import { toProblem } from '../engine/problem';
import { ProbeHost } from '../engine/host';
import { type ProgressLine, printProblem, progressLine } from './terminal';

export type ExitCode = 0 | 1 | 2 | 3;

export interface Verb {
  readonly host: ProbeHost;
  /** Aborted by the first Ctrl+C. */
  readonly signal: AbortSignal;
  readonly progress: ProgressLine;
}

/** The first Ctrl+C asks to stop and keep what there is, the second ends at once. */
function listenForInterrupts(controller: AbortController): () => void {
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}

/** Runs a verb with an engine host and sets the exit code of the process; a problem becomes one sentence on standard error. */
export async function runVerb(work: (verb: Verb) => Promise<ExitCode>): Promise<void> {
  const controller = new AbortController();
  const release = listenForInterrupts(controller);
  const host = new ProbeHost('cli');
  const progress = progressLine();
  try {
    process.exitCode = await work({ host, signal: controller.signal, progress });
  } catch (error) {
    progress.stop();
    const { data } = toProblem(error);
    printProblem(data);
    process.exitCode = data.kind === 'input' ? 2 : 3;
  } finally {
    progress.stop();
    release();
    await host.close();
  }
}
