// What crosses between the extension host and the report view. One transport, string-literal types, a whole snapshot of the report each time.
import type { CancelElements, ElementsAnswer, LoadElements } from './elementsProtocol';
import type { ProblemData, RunProgress } from './engineProtocol';
import type { Report } from './report';

/** What the user selected; kept by the webview's own state and, for tests, told to the host. */
export interface Selection {
  /** Index into the runs of the report. */
  run: number;
  row: number;
  position: number;
  /** Index into differing taps of the run, -1 for none. */
  tap: number;
  measure: 'bytes' | 'maxUlp' | 'relL2' | 'argmax' | 'margin' | 'taps' | 'tokens';
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

export type FromView =
  | { readonly type: 'ready' }
  | { readonly type: 'selected'; readonly selection: Selection }
  | { readonly type: 'openAsText' }
  | { readonly type: 'runAgain' }
  | { readonly type: 'cancelRun' }
  | { readonly type: 'copy'; readonly text: string }
  | LoadElements
  | CancelElements
  /** An error inside the page, for the log. */
  | { readonly type: 'failed'; readonly message: string };
