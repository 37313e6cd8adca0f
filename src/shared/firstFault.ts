// Lists and records of a foreign document, read up to the first fault. The library collects the faults of all entries: a body of some megabytes with nothing but wrong ones would cost gigabytes.
import { z } from 'zod';

type Context = z.core.$RefinementCtx;

/** What was parsed, or its first fault at `place` of what holds it. */
function orFault<T>(context: Context, parsed: z.ZodSafeParseResult<T>, ...place: PropertyKey[]): T | undefined {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  context.addIssue({ code: 'custom', message: issue?.message ?? 'is not valid', path: [...place, ...(issue?.path ?? [])] });
  return undefined;
}

export function listOf<T>(item: z.ZodType<T>, most = Infinity): z.ZodType<T[]> {
  return z.array(z.unknown()).transform((entries, context): T[] => {
    if (entries.length > most) {
      context.addIssue({ code: 'custom', message: `has ${entries.length} entries, at most ${most} are taken` });
      return z.NEVER;
    }
    const read: T[] = [];
    for (const [index, entry] of entries.entries()) {
      const parsed = orFault(context, item.safeParse(entry), index);
      if (parsed === undefined) return z.NEVER;
      read.push(parsed);
    }
    return read;
  });
}

export function recordOf<T>(item: z.ZodType<T>): z.ZodType<Record<string, T>> {
  return z.record(z.string(), z.unknown()).transform((entries, context): Record<string, T> => {
    const read: [string, T][] = [];
    for (const [name, entry] of Object.entries(entries)) {
      const parsed = orFault(context, item.safeParse(entry), name);
      if (parsed === undefined) return z.NEVER;
      read.push([name, parsed]);
    }
    return Object.fromEntries(read);
  });
}

/** Of several forms the one that the value looks like, so that a fault is told of it and not of all of them. */
export function formOf<T>(form: (value: unknown) => z.ZodType<T>): z.ZodType<T> {
  return z.unknown().transform((value, context): T => orFault(context, form(value).safeParse(value)) ?? z.NEVER);
}
