// What crosses between the extension host and the page that compares two reports. A whole snapshot each time.
import { z } from 'zod';
import { exportedFile } from './exportedFile';
import type { FileState } from './viewProtocol';

export type CompareSide = 'a' | 'b';

/** What the page keeps, so that the comparison comes again after the editor was closed: addresses of the files. */
export interface Compared {
  readonly a: string;
  readonly b: string;
}

export interface ToCompare {
  readonly type: 'compared';
  readonly files: Compared;
  /** Of each file what its own editor would show. */
  readonly a: FileState;
  readonly b: FileState;
}

export const FromCompare = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), side: z.enum(['a', 'b']) }),
  /** A becomes B. */
  z.object({ type: z.literal('swap') }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  z.object({ type: z.literal('export'), ...exportedFile }),
  z.object({ type: z.literal('failed'), message: z.string() }),
]);
export type FromCompare = z.infer<typeof FromCompare>;

/** Of a page's kept state, which may be anything. */
export const Kept = z.object({ files: z.object({ a: z.string().min(1).max(8192), b: z.string().min(1).max(8192) }) });
