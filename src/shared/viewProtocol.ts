// What crosses between the extension host and the report view. One transport, string-literal types, a whole snapshot of the report each time.
import { z } from 'zod';
import { CancelElements, LoadElements, type ElementsAnswer } from './elementsProtocol';
import type { ProblemData, RunProgress } from './engineProtocol';
import { exportedFile } from './exportedFile';
import type { ExportFormat } from './exportLimits';
import type { Report } from './report';

export const measureNames = ['bytes', 'maxUlp', 'relL2', 'argmax', 'margin', 'taps', 'tokens'] as const;

/** What the user selected; kept by the webview's own state and, for tests, told to the host. */
export interface Selection {
  /** Index into the runs of the report. */
  run: number;
  row: number;
  position: number;
  /** Index into differing taps of the run, -1 for none. */
  tap: number;
  measure: (typeof measureNames)[number];
}

export type ToView =
  /** `running`: the run of this report goes on, and this is how far it is; the report is what stands so far. */
  | { readonly type: 'report'; readonly report: Report; readonly fileName: string; readonly running?: RunProgress }
  /** The run has begun and there is nothing to show of it yet. */
  | { readonly type: 'running'; readonly fileName: string; readonly title: string; readonly progress: RunProgress }
  /** Of the run of what is shown. */
  | { readonly type: 'progress'; readonly progress: RunProgress }
  /** The file cannot be shown: not JSON, too large, newer version, wrong shape, or not there: then `again` says that its run can be begun anew. */
  | { readonly type: 'problem'; readonly fileName: string; readonly title: string; readonly detail: string; readonly action: string; readonly again?: boolean }
  /** Whether the elements of a tap can be computed again: the model is there, and the workspace is trusted. */
  | { readonly type: 'canLoad'; readonly can: boolean }
  /** What became of a `loadElements`, by its id. */
  | { readonly type: 'loading'; readonly id: number; readonly progress: RunProgress }
  | { readonly type: 'elements'; readonly id: number; readonly answer: ElementsAnswer }
  | { readonly type: 'notLoaded'; readonly id: number; readonly problem: ProblemData };

/** What a file is, whoever shows it. */
export type FileState = Extract<ToView, { readonly type: 'report' | 'problem' }>;

/** The page is to export what it shows, and names the order in its answer. */
export interface ExportOrder {
  readonly type: 'export';
  readonly format: ExportFormat;
  readonly order: number;
}

const index = z.int().min(-1).max(1_000_000_000_000);
const order = z.int().min(0).max(1_000_000_000);

/** What the page says is checked by this before it is believed. */
export const FromView = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('selected'), selection: z.object({ run: index, row: index, position: index, tap: index, measure: z.enum(measureNames) }) }),
  z.object({ type: z.literal('openAsText') }),
  z.object({ type: z.literal('runAgain') }),
  z.object({ type: z.literal('cancelRun') }),
  /** What a replay that leaves only its prefill asks for. */
  z.object({ type: z.literal('comparePrefills') }),
  /** Against another report, which is asked for. */
  z.object({ type: z.literal('compare') }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  LoadElements,
  CancelElements,
  /** `order`: that it answers, 0 for none. */
  z.object({ type: z.literal('export'), ...exportedFile, order }),
  /** Why an order to export cannot be followed. */
  z.object({ type: z.literal('notExported'), reason: z.string().max(2000), order }),
  /** An error inside the page, for the log. */
  z.object({ type: z.literal('failed'), message: z.string() }),
]);
export type FromView = z.infer<typeof FromView>;
