// Turns a failed validation into one place and one sentence.
import type { z } from 'zod';

export interface Issue {
  /** "bisect.runs[0].cells.maxUlp", "" for the document itself. */
  readonly place: string;
  readonly message: string;
}

export function placeOf(path: readonly PropertyKey[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`)).join('');
}

export function firstIssue(error: z.ZodError): Issue {
  const [issue] = error.issues;
  return issue === undefined ? { place: '', message: 'is not valid' } : { place: placeOf(issue.path), message: issue.message };
}
