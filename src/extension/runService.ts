// Runs experiments for the user: one at a time, with progress and cancel in a notification; whatever happens, what was compared is kept.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { RunProgress } from '../shared/engineProtocol';
import { isServed, type Experiment, type ServedExperiment } from '../shared/experiment';
import type { ElementsAnswer, ElementsRequest } from '../shared/elementsProtocol';
import type { Report } from '../shared/report';
import { isEmpty, titleOf } from '../shared/reportFacts';
import type { VerdictWord } from '../shared/verdict';
import type { EngineHost } from './engineHost';
import { discard } from './files';
import { report as reportProblem, tell, type Action } from './messages';
import { asProblem, Problem } from './problem';
import type { RunBoard } from './runBoard';
import { exists, reportsDirectory, reserve, saveReport, type Target } from './reportStore';
import { ProgressText } from './runProgress';
import { SerialQueue } from './serialQueue';
import type { Settings } from './settings';
import { localFolder } from './workspaceFolder';

export interface RunDependencies {
  readonly log: vscode.LogOutputChannel;
  readonly engine: () => Promise<EngineHost>;
  readonly settings: () => Settings;
  readonly storage: vscode.Uri;
  readonly extensionVersion: string;
  readonly openReport: (file: string) => Promise<void>;
  readonly board: RunBoard;
  /** Bearer tokens of the servers of an experiment, by origin. */
  readonly tokensFor: (experiment: ServedExperiment) => Promise<Record<string, string>>;
}

/** A run that is over sooner shows its report when it is done. */
const showAfterMs = 700;

/** What a run left: the file of its report, whole or partial, if there is one. */
export interface RunEnd {
  readonly file: string | undefined;
  readonly complete: boolean;
  readonly verdict: VerdictWord | undefined;
  /** The sentence that the user was shown when the run failed, else "". */
  readonly problem: string;
}

interface Turn {
  readonly experiment: Experiment;
  target: Target | undefined;
}

export class RunService {
  private readonly queue = new SerialQueue();

  constructor(private readonly has: RunDependencies) {}

  /** Never rejects: the user is told of what went wrong. `signal` cancels like the button of the notification. */
  async run(experiment: Experiment, signal?: AbortSignal): Promise<RunEnd> {
    const turn: Turn = { experiment, target: undefined };
    try {
      return await this.keep(await this.observed(turn, signal), turn);
    } catch (error) {
      return this.failed(error, turn);
    }
  }

  /** The elements of a tap, computed again when earlier runs have ended. Rejects with a Problem; who asked shows progress and failure. */
  async elements(request: Omit<ElementsRequest, 'library'>, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<ElementsAnswer> {
    if (this.queue.size > 0) onProgress({ text: waiting(this.queue.size), done: 0, total: 0 });
    const { library } = this.has.settings();
    return this.queue.add(async () => (await this.has.engine()).elements({ ...request, library }, onProgress, signal), signal);
  }

  private async reserve(experiment: Experiment): Promise<Target> {
    const storage = this.has.storage.fsPath;
    const wanted = reportsDirectory({ setting: this.has.settings().reportsDirectory, workspace: localFolder(), storage });
    const { target, refused } = await reserve(experiment, [wanted, reportsDirectory({ setting: '', workspace: undefined, storage })], new Date());
    if (refused !== undefined) reportProblem(this.has.log, refused, [settingsAction('moire.reports.directory')]);
    return target;
  }

  private async observed(turn: Turn, signal: AbortSignal | undefined): Promise<Report> {
    const title = vscode.l10n.t('Moire: {0}', titleOf(turn.experiment));
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
      const abort = new AbortController();
      const cancel = (): void => abort.abort(new Problem({ kind: 'cancelled', title: vscode.l10n.t('The run was cancelled'), place: '', action: '' }));
      const subscription = token.onCancellationRequested(cancel);
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted === true) cancel();
      try {
        if (this.queue.size > 0) progress.report({ message: waiting(this.queue.size) });
        return await this.queue.add(() => this.execute(turn, progress, { signal: abort.signal, cancel }), abort.signal);
      } finally {
        subscription.dispose();
        signal?.removeEventListener('abort', cancel);
      }
    });
  }

  /** The name of the report is taken when the turn has come: two runs of one second would take the same. */
  private async execute(turn: Turn, progress: vscode.Progress<{ message: string; increment: number }>, { signal, cancel }: { signal: AbortSignal; cancel: () => void }): Promise<Report> {
    const { experiment } = turn;
    const target = await this.reserve(experiment);
    turn.target = target;
    const text = new ProgressText(Date.now());
    this.has.log.info(`run ${JSON.stringify(summary(experiment))} -> ${target.path}`);
    // Only here do they meet the request: what is logged and saved is the experiment.
    const bearerTokens = isServed(experiment) ? await this.has.tokensFor(experiment) : {};
    const request = { experiment, bearerTokens, library: this.has.settings().library, extensionVersion: this.has.extensionVersion, partialPath: target.partialPath };
    const show = (update: RunProgress): void => {
      const next = text.next(update, Date.now());
      if (next === undefined) return;
      progress.report(next);
      this.has.board.progress(target.path, { ...update, text: next.message });
    };
    this.has.board.begin(target.path, { title: titleOf(experiment), progress: { text: vscode.l10n.t('starting the engine'), done: 0, total: 0 }, cancel });
    const open = setTimeout(() => void this.has.openReport(target.path).catch((error: unknown) => this.has.log.warn(String(error))), showAfterMs);
    try {
      const engine = await this.has.engine();
      return await engine.run(request, show, signal);
    } finally {
      clearTimeout(open);
    }
  }

  /** Saves a report that came back, complete or not, opens it and says what it found. */
  private async keep(report: Report, { experiment, target }: Turn): Promise<RunEnd> {
    if (target === undefined) throw new Error('a run that has no place for its report gave one');
    if (!report.complete && isEmpty(report)) {
      await discard(target.partialPath);
      throw new Problem({ kind: 'cancelled', title: report.incompleteReason || vscode.l10n.t('The run ended before its first comparison'), place: '', action: '' });
    }
    const saved = await this.save(report, target);
    // Before the report is opened: its page would still show the run.
    this.has.board.end(target.path, saved.file === target.path ? null : { experiment, reason: saved.problem });
    if (saved.problem === '') this.tellResult(experiment, report, saved.file);
    // Whoever cancelled did not ask for a report; it is offered.
    if (report.complete && saved.file !== undefined) await this.has.openReport(saved.file);
    return { file: saved.file, complete: report.complete, verdict: report.verdict.word, problem: saved.problem };
  }

  private tellResult(experiment: Experiment, report: Report, file: string | undefined): void {
    const title = titleOf(experiment);
    if (report.complete) return tell(this.has.log, `${title}: ${report.verdict.word}. ${report.verdict.sentence}`);
    const show: Action[] = file === undefined ? [] : [{ label: vscode.l10n.t('Show Report'), run: () => this.has.openReport(file) }];
    tell(this.has.log, vscode.l10n.t('{0} is not complete. {1} What was compared until then is kept.', title, report.incompleteReason), [...show, { label: vscode.l10n.t('Run Again'), run: () => this.run(experiment) }]);
  }

  /** Saves at the target; if that cannot be, in the extension's own storage, and asks for a better place. */
  private async save(report: Report, target: Target): Promise<{ file: string | undefined; problem: string }> {
    try {
      await saveReport(report, target.path);
      await discard(target.partialPath);
      this.has.log.info(`report saved as ${target.path}`);
      return { file: target.path, problem: '' };
    } catch (error) {
      const refuge = reportsDirectory({ setting: '', workspace: undefined, storage: this.has.storage.fsPath });
      const file = await saveIn(report, refuge, target.path);
      const { kind, title, place } = asProblem(error).data;
      const problem = new Problem({ kind, title, place, action: file === undefined ? vscode.l10n.t('Save it elsewhere, or it is lost') : vscode.l10n.t('It is kept in {0} for now; save it elsewhere', file) });
      reportProblem(this.has.log, problem, [{ label: vscode.l10n.t('Save As…'), run: () => this.saveAs(report, target) }]);
      return { file, problem: problem.sentence };
    }
  }

  private async failed(error: unknown, { experiment, target }: Turn): Promise<RunEnd> {
    const problem = asProblem(error);
    const partial = target !== undefined && (await exists(target.partialPath)) ? target.partialPath : undefined;
    const { kind, title, place, action } = problem.data;
    const kept = partial === undefined ? action : vscode.l10n.t('What was compared until then is in {0}. {1}', partial, action);
    const whole = new Problem({ kind, title, place, action: kept }, { cause: problem });
    if (target !== undefined) this.has.board.end(target.path, { experiment, reason: whole.sentence });
    const show: Action[] = partial === undefined ? [] : [{ label: vscode.l10n.t('Show Partial Report'), run: () => this.has.openReport(partial) }];
    const restart: Action[] = kind === 'engine' ? [{ label: vscode.l10n.t('Restart and Run Again'), run: () => this.restartAndRun(experiment) }] : [];
    if (kind === 'cancelled' && partial !== undefined) tell(this.has.log, whole.sentence, show);
    else reportProblem(this.has.log, whole, [...restart, ...show]);
    return { file: partial, complete: false, verdict: undefined, problem: whole.sentence };
  }

  private async restartAndRun(experiment: Experiment): Promise<RunEnd> {
    const engine = await this.has.engine();
    await engine.restart();
    return this.run(experiment);
  }

  private async saveAs(report: Report, target: Target): Promise<void> {
    const chosen = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.file(target.path), filters: { [vscode.l10n.t('Moire report')]: ['moire.json'] } });
    if (chosen === undefined) return;
    await saveReport(report, chosen.fsPath);
    await discard(target.partialPath);
    await this.has.openReport(chosen.fsPath);
  }
}

const waiting = (runs: number): string => (runs === 1 ? vscode.l10n.t('waits for another run') : vscode.l10n.t('waits for {0} other runs', runs));

/** The experiment without what the user typed: the log may be pasted anywhere. */
function summary(experiment: Experiment): object {
  return JSON.parse(JSON.stringify(experiment, (key, value: unknown) => (userData.has(key) && (typeof value === 'string' || Array.isArray(value)) ? `${value.length} long` : value))) as object;
}

const userData = new Set(['text', 'ids', 'reference', 'prompts']);

async function saveIn(report: Report, folder: string, like: string): Promise<string | undefined> {
  const file = path.join(folder, path.basename(like));
  return mkdir(folder, { recursive: true })
    .then(() => saveReport(report, file))
    .then(
      () => file,
      () => undefined,
    );
}

function settingsAction(setting: string): Action {
  return { label: vscode.l10n.t('Open Settings'), run: () => vscode.commands.executeCommand('workbench.action.openSettings', setting) };
}
