// What a model is served with; apart from what serves it, since the server process reads no more.
import { z } from 'zod';
import { limits } from '../../shared/experiment';

export const ServeOptions = z.object({
  model: z.string().min(1),
  /** A drafter's folder, null: no speculation. */
  drafter: z.string().min(1).nullable(),
  /** Rows of a block, null: what the drafter declares, or the default. */
  width: z.int().min(2).max(limits.width).nullable(),
  switches: z.record(z.string(), z.union([z.string(), z.int()])),
  /** Requests that run together. */
  parallel: z.int().min(1).max(limits.batch),
  /** Tokens of a prompt that run in one forward. */
  pieceTokens: z.int().min(1).max(limits.promptIds),
  cacheEntries: z.int().min(0).max(4096),
  cacheTokens: z.int().min(0),
  /** Speculate although the gate declines. */
  override: z.boolean(),
  /** A file that is not there yet: every round of speculation goes there. Null: nowhere. */
  capture: z.string().min(1).nullable(),
  /** The engine is started again for the run that made the capture file. */
  resumed: z.boolean().default(false),
});
export type ServeOptions = z.input<typeof ServeOptions>;
