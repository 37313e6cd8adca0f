// An error that a user is told of: what, where, what to do, and whose fault it is (the kind).
// The border of translation: what comes from src/shared and the engine stays English. It stands in reports and logs, which read the same everywhere.
import * as l10n from '@vscode/l10n';
export { asProblem, Problem } from '../shared/problem';

/** What the file system said, in words: the code alone tells few people anything. */
export function fileReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  // VS Code wraps what it has no code of its own for.
  const wrapped = /\b(E[A-Z]{3,}):/.exec(message)?.[1] ?? '';
  return reasonOf(code) ?? reasonOf(wrapped) ?? message;
}

function reasonOf(code: string): string | undefined {
  switch (code) {
    case 'ENOENT':
    case 'FileNotFound':
      return l10n.t('it does not exist');
    case 'ENOTDIR':
      return l10n.t('a part of the path is not a folder');
    case 'EISDIR':
      return l10n.t('it is a folder');
    case 'ENOTREG':
      return l10n.t('it is a device or a pipe, not a file');
    case 'ELOOP':
      return l10n.t('its links lead back to themselves');
    case 'EACCES':
    case 'EPERM':
    case 'NoPermissions':
      return l10n.t('there is no permission');
    case 'EROFS':
      return l10n.t('the file system is read-only');
    case 'ENOSPC':
      return l10n.t('there is no space left on the disk');
    case 'EDQUOT':
      return l10n.t('the disk quota is used up');
    case 'ENAMETOOLONG':
      return l10n.t('the name is too long');
    case 'EMFILE':
      return l10n.t('too many files are open');
    default:
      return undefined;
  }
}
