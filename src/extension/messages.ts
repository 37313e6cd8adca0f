// How the user hears of things: one message with its actions, and the whole story in the log.
import * as vscode from 'vscode';
import { asProblem } from './problem';

export interface Action {
  readonly label: string;
  readonly run: () => unknown;
}

/** Shows an error once and waits for no answer; the chosen action runs when it is chosen. A cancelled piece of work is not an error. */
export function report(log: vscode.LogOutputChannel, error: unknown, actions: readonly Action[] = []): void {
  const problem = asProblem(error);
  if (problem.data.kind === 'cancelled') {
    log.info(problem.sentence);
    return;
  }
  log.error(`[${problem.data.kind}] ${problem.sentence}`);
  if (problem.data.kind === 'engine' && problem.stack !== undefined) log.error(problem.stack);
  const show = problem.data.kind === 'input' ? vscode.window.showWarningMessage : vscode.window.showErrorMessage;
  offer(log, show, problem.sentence, [...actions, { label: vscode.l10n.t('Show Log'), run: () => log.show() }]);
}

/** An information with actions, in the log as well. */
export function tell(log: vscode.LogOutputChannel, sentence: string, actions: readonly Action[] = []): void {
  log.info(sentence);
  offer(log, vscode.window.showInformationMessage, sentence, actions);
}

type Show = (message: string, ...labels: string[]) => Thenable<string | undefined>;

function offer(log: vscode.LogOutputChannel, show: Show, sentence: string, actions: readonly Action[]): void {
  void show(sentence, ...actions.map(({ label }) => label)).then(async (label) => {
    try {
      await actions.find((action) => action.label === label)?.run();
    } catch (error) {
      report(log, error);
    }
  });
}
