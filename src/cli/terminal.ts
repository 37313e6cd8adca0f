// Standard output holds the answer alone; progress and problems go to standard error. Colours only for a person at a terminal.
import process from 'node:process';
import { styleText } from 'node:util';
import ora from 'ora';
import type { ProblemData, RunProgress } from '../shared/engineProtocol';
import type { VerdictWord } from '../shared/verdict';
import { sentenceOf } from '../engine/problem';
import { printable } from './printable';

type Style = Parameters<typeof styleText>[0];

export function styled(style: Style, text: string): string {
  const coloured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb';
  return coloured ? styleText(style, text) : text;
}

const verdictStyles: Record<VerdictWord, Style> = { equal: 'green', drift: 'yellow', tie: 'yellow', defect: 'red', declined: 'magenta', void: 'magenta' };

/** Padding belongs into `text`: escape codes have no width. */
export function styledVerdict(word: VerdictWord, text: string = word): string {
  return styled(verdictStyles[word], text);
}

export function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 1)}\n`);
}

export function warn(sentence: string): void {
  process.stderr.write(`moire: ${printable(sentence)}\n`);
}

export function printProblem(problem: ProblemData): void {
  warn(sentenceOf(problem));
}

/**
 * A reader that goes away (`| head`) is no error: the run goes on to its report and its exit code. Output that cannot be written for another reason is said once and
 * makes the exit code 3. Of a broken standard error there is no one left to tell.
 */
export function surviveBrokenOutput(): void {
  let broken = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (broken || error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return;
    broken = true;
    warn(`The answer cannot be written to standard output: ${error.code === 'ENOSPC' ? 'there is no space left on the disk' : error.message}.`);
  });
  process.stderr.on('error', () => undefined);
  process.on('exit', () => {
    if (broken) process.exitCode = 3;
  });
}

export interface ProgressLine {
  show(progress: RunProgress): void;
  stop(): void;
}

/** A line that changes in place, at a terminal; silent elsewhere. */
export function progressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  // A terminal may say that it has 0 columns (a fresh pseudo-terminal does): text of any length then takes infinitely many lines, and the spinner would never finish clearing them.
  if (!stream.isTTY || !(stream.columns > 0)) return { show: () => undefined, stop: () => undefined };
  // The spinner must leave the keyboard alone: Ctrl+C is ours.
  const spinner = ora({ stream, discardStdin: false, text: 'starting' }).start();
  return {
    show({ text, done, total }): void {
      spinner.text = (total > 0 ? `${String(Math.floor((100 * done) / total)).padStart(3)} %  ` : '') + printable(text);
    },
    stop(): void {
      spinner.stop();
    },
  };
}
