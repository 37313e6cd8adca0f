// What a command is given by a key binding, a task or another extension, checked.
import * as l10n from '@vscode/l10n';
import type { z } from 'zod';
import { firstIssue } from '../shared/issues';
import { Problem } from './problem';

/** `what` cannot be done with the argument: "The experiment that the command was given cannot be run". */
export const refused = (what: string, message: string, place: string): Problem => new Problem({ kind: 'input', title: `${what}: ${message}`, place, action: l10n.t('Mend that field, or run the command without arguments') });

/** Throws a Problem that names the field. */
export function argumentOf<T>(schema: z.ZodType<T>, argument: unknown, what = l10n.t('What the command was given cannot be used')): T {
  const parsed = schema.safeParse(argument);
  if (parsed.success) return parsed.data;
  const { place, message } = firstIssue(parsed.error);
  throw refused(what, message, place);
}

export const notRunnable = l10n.t('The experiment that the command was given cannot be run');
