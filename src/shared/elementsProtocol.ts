// The whole elements of one tap of a bisect: what is asked of the engine to compute it again, and what it answers. The page holds a tile of them at most until then.
import { z } from 'zod';
import { id, ids, limits, list, path, Switches, whole } from './experiments/parts';

/** Of one tensor, at once: a larger one comes as a window. */
export const elementLimits = { bytes: 4 << 20, elements: 1_000_000 } as const;

const index = whole('an index', 0, Number.MAX_SAFE_INTEGER);

/** Both arms of one comparison, as far as one position, and the tap to read there. */
export const ElementsRequest = z.object({
  /** Library to load, "" for the one that ships with the extension. */
  library: z.string().max(4096),
  /** Folder of the checkpoint. */
  model: path('the model folder'),
  switches: Switches,
  promptIds: ids('the list of prompt ids'),
  /** The tokens of the whole comparison. */
  blockIds: list(id, 'the list of block ids', limits.walk),
  width: whole('the width', 1, limits.width),
  /** Within the tokens of the comparison. */
  position: whole('the position', 0, limits.walk - 1),
  /** -1 before the first, the number of layers after the last. */
  layer: whole('the layer', -1, 1_000_000),
  tap: z.string().regex(/^\w{1,64}$/, { error: 'the name of the tap is not one' }),
  /** An element that is to be among those that come. */
  around: index,
});
export type ElementsRequest = z.infer<typeof ElementsRequest>;

export interface ElementsAnswer {
  readonly dtype: string;
  /** Of one row. */
  readonly shape: readonly number[];
  /** Elements of the row. */
  readonly total: number;
  /** The first element of the window. */
  readonly start: number;
  /** Little-endian bytes of the window, in base64. */
  readonly a: string;
  readonly b: string;
  /** Of the whole row, by the engine's own comparison. */
  readonly differingBytes: number;
  readonly differingElements: number;
  /** -1 where the arms are equal. */
  readonly firstIndex: number;
  /** Heads and their width, where a tap of the same heads has them in its shape. */
  readonly heads: readonly number[] | null;
  readonly fingerprint: string;
  readonly libraryHash: string;
}

/** What a page asks for: a tap of the report that it shows, by its place in the list of those that differ. */
export const LoadElements = z.object({ type: z.literal('loadElements'), id: index, run: index, tap: index, around: index });
export type LoadElements = z.infer<typeof LoadElements>;
export const CancelElements = z.object({ type: z.literal('cancelElements'), id: index });
export type CancelElements = z.infer<typeof CancelElements>;
