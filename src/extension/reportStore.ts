// Where reports live: the folder, the name, and how they are written so that no reader ever sees half of one.
import * as vscode from 'vscode';
import { access, constants, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { isServed, type Experiment } from '../shared/experiment';
import { reportExtension, type Report } from '../shared/report';
import { servedName } from '../shared/reportFacts';
import { formatReport } from '../shared/reportFile';
import { fileReason, Problem } from './problem';
import { fileTime } from './fileTime';
import { partialPathOf } from './runBoard';
import { writeInto } from './files';

/** Paths of one run. The partial report is written by the engine while it works and stands beside the target, as a report that can be opened. */
export interface Target {
  readonly path: string;
  readonly partialPath: string;
}

export interface Places {
  /** As the user wrote it, "" for the default. */
  readonly setting: string;
  /** The local workspace folder, if any. */
  readonly workspace: string | undefined;
  /** The extension's own storage: always there, for when nothing else can be written. */
  readonly storage: string;
}

export function reportsDirectory({ setting, workspace, storage }: Places): string {
  const base = workspace ?? storage;
  if (setting === '') return workspace === undefined ? path.join(storage, 'reports') : path.join(workspace, '.moire');
  const home = setting.replace(/^~(?=$|[\\/])/, homedir()).replaceAll('${workspaceFolder}', base);
  return path.resolve(base, home);
}

/** A free name in the first folder of `folders` that can be written, with what stood in the way of the others. */
export async function reserve(experiment: Experiment, folders: readonly string[], now: Date): Promise<{ target: Target; refused: Problem | undefined }> {
  let refused: Problem | undefined;
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return { target: await freeTarget(folder, stem(experiment, now)), refused };
    } catch (error) {
      refused ??= cannotSave(folder, error);
    }
  }
  throw refused ?? new Problem({ kind: 'environment', title: vscode.l10n.t('There is no folder for reports'), place: '', action: vscode.l10n.t('Set moire.reports.directory') });
}

/** Rejects with a Problem; then nothing was left behind at `file`, and an older file there is untouched. */
export async function saveReport(report: Report, file: string): Promise<void> {
  try {
    await writeInto(file, formatReport(report));
  } catch (error) {
    throw cannotSave(file, error);
  }
}

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function cannotSave(place: string, error: unknown): Problem {
  const action = vscode.l10n.t('Choose another place, or set moire.reports.directory');
  return new Problem({ kind: 'environment', title: vscode.l10n.t('The report cannot be saved: {0}', fileReason(error)), place, action }, { cause: error });
}

function subjectOf(experiment: Experiment): string {
  if (experiment.kind === 'diff') return experiment.a;
  if (experiment.kind === 'ids') return experiment.a.file;
  return isServed(experiment) ? servedName(experiment.server) : experiment.model;
}

/** For example "target-4bit-bisect-20260131-154500". */
function stem(experiment: Experiment, now: Date): string {
  const subject = subjectOf(experiment);
  const name = path.basename(subject.replace(/[\\/]+$/, '')).replace(/\.(?:safetensors|jsonl|json|txt)$/, '').replace(/[^\w.-]+/g, '-').slice(0, 60) || 'model';
  return `${name}-${experiment.kind}-${fileTime(now)}`;
}

async function freeTarget(folder: string, name: string): Promise<Target> {
  for (let n = 1; ; n += 1) {
    const file = path.join(folder, `${n === 1 ? name : `${name}-${n}`}${reportExtension}`);
    const target = { path: file, partialPath: partialPathOf(file) };
    if (!(await exists(target.path)) && !(await exists(target.partialPath))) return target;
  }
}
