// Reports on disk: whole or not at all.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Report } from '../shared/report';
import { formatReport, formatUnchecked, readReport, reportBytesLimit, tooLarge, type Unreadable } from '../shared/reportFile';
import { writeWhole } from '../disk/writeWhole';
import { badInput, Problem } from './problem';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'there is a folder of that name',
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'there is no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  ENOTREG: 'this is a device or a pipe, not a file',
  ELOOP: 'its links lead back to themselves',
  EFBIG: 'the file system takes no file of that size',
  ENAMETOOLONG: 'the name is too long',
};

/** What a failed call to the file system means, for a sentence. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}

/** Writes a report under a temporary name and renames it, so that an old file stays whole when this fails. Throws a Problem. */
export async function saveReport(report: Report, file: string): Promise<void> {
  await save(() => formatReport(report), file);
}

/** As saveReport, for the run so far: written often, so not validated each time. */
export async function savePartialReport(report: Report, file: string): Promise<void> {
  await save(() => formatUnchecked(report), file);
}

async function save(text: () => string, file: string): Promise<void> {
  try {
    await writeWhole(file, text());
  } catch (error) {
    const place = path.resolve(file);
    throw new Problem({ kind: 'environment', title: `The report cannot be saved: ${reasonOf(error)}`, place, action: 'Choose another file, or make room for this one' }, { cause: error });
  }
}

function unreadable({ title, detail, action }: Unreadable, file: string): Problem {
  return badInput(`${title}. ${detail}`, file, action);
}

/** Reads a report. Whatever the file holds, what is thrown is a Problem. */
export async function loadReport(file: string): Promise<Report> {
  const text = await readText(file);
  const read = readReport(text);
  if (read.ok) return read.report;
  throw unreadable(read.problem, file);
}

async function readText(file: string): Promise<string> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) throw badInput('This is not a file', file, 'Give the path of a *.moire.json file');
    if (facts.size > reportBytesLimit) throw unreadable(tooLarge(facts.size), file);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'it does not exist' : reasonOf(error);
    throw badInput(`The report cannot be read: ${reason}`, file, 'Check the path');
  }
}
