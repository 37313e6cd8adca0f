// Moire: Compare Token Ids. Two files, asked for or given.
import * as vscode from 'vscode';
import { IdsExperiment, type IdsFile } from '../shared/experiment';
import { argumentOf, notRunnable } from './commandArgument';
import { trusted } from './probeCommand';
import type { RunEnd } from './runService';
import type { Services } from './services';

const filters = { 'Token ids and logs': ['json', 'txt', 'jsonl', 'log'], 'All files': ['*'] };

async function chosen(title: string): Promise<string | undefined> {
  return (await vscode.window.showOpenDialog({ title, canSelectMany: false, filters }))?.[0]?.fsPath;
}

const whole = (file: string): IdsFile => ({ file, request: null });

/** With an experiment as argument (from a key binding, a task, a test) nothing is asked. */
export async function compareTokenIds(services: Services, argument: unknown): Promise<RunEnd | undefined> {
  if (!(await trusted())) return undefined;
  if (argument !== undefined) return services.runs.run(argumentOf(IdsExperiment, argument, notRunnable));
  const a = await chosen('First File of Token Ids');
  const b = a === undefined ? undefined : await chosen('File of Token Ids to Compare With');
  return a === undefined || b === undefined ? undefined : services.runs.run({ kind: 'ids', a: whole(a), b: whole(b), model: null });
}
