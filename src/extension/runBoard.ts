// The reports that are being made: whoever shows one follows its run, and can end it.
import * as vscode from 'vscode';
import type { RunProgress } from '../shared/engineProtocol';
import type { Experiment } from '../shared/experiment';
import { reportExtension } from '../shared/report';

/** Runs that left no report are remembered for their open views. */
const endedLimit = 50;

export interface Running {
  readonly title: string;
  readonly progress: RunProgress;
  readonly cancel: () => void;
}

/** A run that ended without a report at its place. */
export interface Ended {
  readonly experiment: Experiment;
  readonly reason: string;
}

/** `progress`: nothing else has changed. */
export interface BoardChange {
  readonly uri: string;
  readonly what: 'run' | 'progress';
}

/** Where the engine keeps the report of a run that lasts, beside the report's own place. */
export const partialPathOf = (file: string): string => (file.endsWith(reportExtension) ? `${file.slice(0, -reportExtension.length)}.partial${reportExtension}` : `${file}.partial`);

export class RunBoard {
  private readonly running = new Map<string, Running>();
  private readonly ended = new Map<string, Ended>();
  private readonly changed = new vscode.EventEmitter<BoardChange>();
  readonly onDidChange = this.changed.event;

  runOf(uri: vscode.Uri): Running | undefined {
    return this.running.get(uri.toString());
  }

  endOf(uri: vscode.Uri): Ended | undefined {
    return this.ended.get(uri.toString());
  }

  begin(file: string, run: Running): void {
    const key = vscode.Uri.file(file).toString();
    this.ended.delete(key);
    this.running.set(key, run);
    this.changed.fire({ uri: key, what: 'run' });
  }

  progress(file: string, progress: RunProgress): void {
    const key = vscode.Uri.file(file).toString();
    const run = this.running.get(key);
    if (run === undefined) return;
    this.running.set(key, { ...run, progress });
    this.changed.fire({ uri: key, what: 'progress' });
  }

  /** `left`: why there is no report at this place, null where there is one. */
  end(file: string, left: Ended | null): void {
    const key = vscode.Uri.file(file).toString();
    if (!this.running.delete(key)) return;
    if (left !== null) this.ended.set(key, left);
    const [oldest] = this.ended.keys();
    if (this.ended.size > endedLimit && oldest !== undefined) this.ended.delete(oldest);
    this.changed.fire({ uri: key, what: 'run' });
  }

  dispose(): void {
    this.changed.dispose();
  }
}
