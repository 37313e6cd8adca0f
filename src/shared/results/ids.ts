// Result of a comparison of two lists of token ids.
import { z } from 'zod';
import { count, counts, TokenTexts } from './parts';

export const IdList = z.object({
  source: z.enum(['list', 'log']),
  /** What of a log it is, "" for a list. */
  about: z.string(),
  ids: counts,
});
export type IdList = z.infer<typeof IdList>;

/** The first place at which the lists do not agree; -1: the list has ended before it. */
export const IdsFork = z.object({ at: count, a: z.int().min(-1), b: z.int().min(-1) });
export type IdsFork = z.infer<typeof IdsFork>;

export const IdsResult = z.object({ a: IdList, b: IdList, fork: IdsFork.nullable(), texts: TokenTexts.exactOptional() });
export type IdsResult = z.infer<typeof IdsResult>;
