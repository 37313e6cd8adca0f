// Runs an experiment and looks after its report: checked target, partial report while it runs, whole report at the end.
import { constants } from 'node:fs';
import { access, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Experiment } from '../shared/experiment';
import { type Report, reportExtension, reportFormat } from '../shared/report';
import { isEmpty } from '../shared/reportFacts';
import { formatReport } from '../shared/reportFile';
import { exitCode } from '../shared/verdict';
import { captureLogFormat } from '../engine/acceptLogs/moireLog';
import { partialCaptureOf } from '../engine/partialBurstLog';
import { badInput, sentenceOf, toProblem } from '../engine/problem';
import { reasonOf, saveReport } from '../engine/reportStore';
import { printable, printableDocument } from './printable';
import { print, printProblem, warn } from './terminal';
import type { HostVerb } from './hostVerb';
import type { ExitCode } from './verb';
import { version } from './version';

export interface ReportOptions {
  readonly library?: string;
  readonly out?: string;
  readonly json?: true;
  /** Bearer tokens of servers by origin. */
  readonly bearerTokens?: Readonly<Record<string, string>>;
  /** Of verbs that run bursts. */
  readonly capture?: string;
}

/** a.moire.json -> a.partial.moire.json */
function partialOf(out: string): string {
  const stem = out.endsWith(reportExtension) ? out.slice(0, -reportExtension.length) : out;
  return `${stem}.partial${reportExtension}`;
}

/** Minutes of work are not to end at a typing error, and no file of another kind is to be lost. `format`: what an existing file has to be. `what`: is to be saved. */
async function checkTarget(out: string, format: string, what = 'report'): Promise<void> {
  const folder = path.dirname(out);
  const refuse = (reason: string, place: string, action: string): never => {
    throw badInput(`The ${what} cannot be saved: ${reason}`, place, action);
  };
  const old = await stat(out).catch(() => null);
  if (old?.isDirectory() === true) refuse('there is a folder of that name', out, 'Choose another file');
  if (old?.isFile() === false) refuse('this is a device or a pipe, not a file', out, 'Choose another file; --json prints the report to standard output');
  if (old !== null && !(await isOurs(out, format))) refuse('there is a file of that name which Moire did not write', out, 'Choose another file, or remove that one first');
  const found = await stat(folder).then(
    (facts) => access(folder, constants.W_OK).then(() => facts),
  ).catch((error: unknown) => refuse(reasonOf(error), folder, 'Choose another file, or make the folder'));
  if (!found.isDirectory()) refuse('this is not a folder', folder, 'Choose another file');
}

/** Whether an existing file may be replaced: an empty one, or one that begins as ours do. Text lines of another engine look the same whoever wrote them, so none is ours. */
async function isOurs(file: string, format: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    const head = buffer.subarray(0, bytesRead).toString('utf8');
    return bytesRead === 0 || new RegExp(`^\\s*\\{\\s*"format":\\s*"${format.replaceAll('.', '\\.')}"`).test(head);
  } finally {
    await handle.close();
  }
}

/** Where the report of a run that was not named goes when the run ends early. */
function unnamed(kind: Experiment['kind']): string {
  return path.resolve(`moire-${kind}-${new Date().toISOString().replace(/[:.]/g, '-')}.partial${reportExtension}`);
}

async function keepPartial(report: Report, file: string): Promise<void> {
  await saveReport(report, file);
  warn(`Not complete: ${report.incompleteReason} What was compared is kept in ${file}.`);
}

/** Gives whether the whole report is in its file. */
async function save(report: Report, options: ReportOptions): Promise<{ code: ExitCode; saved: boolean }> {
  const { out } = options;
  try {
    if (!report.complete && !isEmpty(report)) await keepPartial(report, out === undefined ? unnamed(report.kind) : partialOf(out));
    else if (out !== undefined) {
      await saveReport(report, out);
      await rm(partialOf(out), { force: true });
    }
  } catch (error) {
    printProblem(toProblem(error).data);
    return { code: 3, saved: false };
  }
  return { code: exitCode(report.verdict.word, report.complete), saved: out !== undefined && report.complete };
}

/** Runs, prints (the report itself with --json, else what `lines` makes of it), saves. */
export async function runReport({ host, signal, progress }: HostVerb, experiment: Experiment, options: ReportOptions, lines: (report: Report) => readonly string[]): Promise<ExitCode> {
  const { out = '' } = options;
  if (out !== '' && out === options.capture) throw badInput('--out and --capture name the same file', out, 'Give two files');
  if (out !== '') await checkTarget(out, reportFormat);
  if (options.capture !== undefined) {
    await checkTarget(options.capture, captureLogFormat, 'rounds');
    await checkTarget(partialCaptureOf(options.capture), captureLogFormat, 'rounds');
  }
  const partialPath = out === '' ? '' : partialOf(out);
  const request = { experiment, library: options.library ?? '', extensionVersion: version, partialPath, captureFile: options.capture ?? '', bearerTokens: options.bearerTokens ?? {} };
  try {
    const { report, problem } = await host.run(request, { signal, onProgress: (now) => progress.show(now), onWarning: warn });
    progress.stop();
    if (options.json === true) process.stdout.write(formatReport(report));
    else print(lines(printableDocument(report)));
    const { code, saved } = await save(report, options);
    if (options.json !== true && saved) print(['', `Report: ${printable(out)}`]);
    if (problem === undefined) return code;
    printProblem(problem);
    return 3;
  } catch (error) {
    const { data } = toProblem(error);
    if (data.kind !== 'cancelled') throw error;
    progress.stop();
    warn(`${sentenceOf(data)} No comparison was done, so there is no report.`);
    return 3;
  }
}
