// The lines around one line of a log, for a log that no editor opens.
import type { LogExcerpt } from '../../shared/logReaderProtocol';
import { badInput } from '../problem';
import { linesOf } from './lineStream';

const around = 200;
const lineChars = 20_000;

/** Throws a Problem where the log has no such line. */
export async function excerptOf(file: string, line: number, signal: AbortSignal): Promise<LogExcerpt> {
  const from = Math.max(1, line - around);
  const kept: string[] = [];
  for await (const lines of linesOf(file, { signal })) {
    for (const { number, text } of lines) if (number >= from && number <= line + around) kept.push(text.slice(0, lineChars));
    if ((lines.at(-1)?.number ?? 0) > line + around) break;
  }
  if (kept.length <= line - from) throw badInput(`This log has no line ${line} any more`, file, 'Read the log again');
  return { from, lines: kept };
}
