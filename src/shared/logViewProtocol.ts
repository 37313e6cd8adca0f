// What crosses between the extension host and the page of an accept log. The page holds the rows in sight and asks for more; the host passes its questions on to the log reader.
import { z } from 'zod';
import type { ProblemData } from './engineProtocol';
import { exportedFile } from './exportedFile';
import { ExportFormat, LogQuestion, Slot, type LogAnswer, type LogState } from './logReaderProtocol';

export type ToLogView =
  /** The state of a log, each time that it changes; null when the second log is closed. */
  | { readonly type: 'log'; readonly slot: Slot; readonly state: LogState | null }
  | { readonly type: 'answer'; readonly id: number; readonly value: LogAnswer<LogQuestion> }
  | { readonly type: 'refused'; readonly id: number; readonly problem: ProblemData }
  /** The file is another one than what was read. */
  | { readonly type: 'stale'; readonly stale: boolean }
  /** A request to show. */
  | { readonly type: 'show'; readonly request: number };

const number = z.int().min(0).max(1_000_000_000_000);

export const FromLogView = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('ask'), id: number, question: LogQuestion }),
  /** The request that is looked at. */
  z.object({ type: z.literal('selected'), request: number }),
  z.object({ type: z.literal('goToLine'), slot: Slot, line: number.min(1) }),
  z.object({ type: z.literal('probe'), kind: z.enum(['replay', 'rewind']), request: number }),
  z.object({ type: z.literal('compare') }),
  z.object({ type: z.literal('endCompare') }),
  z.object({ type: z.literal('export'), format: ExportFormat }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  /** Of what the timeline shows. */
  z.object({ type: z.literal('picture'), ...exportedFile }),
  z.object({ type: z.literal('readAgain') }),
  z.object({ type: z.literal('openAsText') }),
  /** An error inside the page, for the log. */
  z.object({ type: z.literal('failed'), message: z.string().max(20_000) }),
]);
export type FromLogView = z.infer<typeof FromLogView>;
