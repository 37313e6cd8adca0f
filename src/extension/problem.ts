// An error that a user is told of: what, where, what to do, and whose fault it is (the kind).
// The border of translation: what comes from src/shared and the engine, and the reasons below, stay English. They stand in reports and logs, which read the same everywhere.
export { asProblem, Problem } from '../shared/problem';

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
