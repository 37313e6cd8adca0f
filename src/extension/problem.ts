// An error that a user is told of: what, where, what to do, and whose fault it is (the kind).
import type { ProblemData } from '../shared/engineProtocol';
import { Problem } from '../shared/problem';

export { Problem };

/** Anything thrown, as a Problem. What has no data of its own is our fault. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const data: unknown = error instanceof Error && 'data' in error ? error.data : undefined;
  if (isProblemData(data)) return new Problem(data, { cause: error });
  const title = error instanceof Error ? error.message : String(error);
  return new Problem({ kind: 'engine', title, place: '', action: 'The log says more' }, { cause: error });
}

/** What the file system said, in words: the code alone tells few people anything. */
export function fileReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  // VS Code wraps what it has no code of its own for.
  const wrapped = /\b(E[A-Z]{3,}):/.exec(message)?.[1] ?? '';
  return reasons[code] ?? reasons[wrapped] ?? message;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  FileNotFound: 'it does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  NoPermissions: 'there is no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'there is no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
};

function isProblemData(value: unknown): value is ProblemData {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, title, place, action } = value as Partial<Record<keyof ProblemData, unknown>>;
  return typeof title === 'string' && typeof place === 'string' && typeof action === 'string' && kinds.some((known) => known === kind);
}

const kinds: readonly ProblemData['kind'][] = ['input', 'environment', 'engine', 'cancelled'];
