// What the user does in the page, as the parts of it tell it.
import type { ExportFormat, Slot } from '../../shared/logReaderProtocol';

export interface LogEvents {
  readonly goToLine: (slot: Slot, line: number) => void;
  readonly probe: (kind: 'replay' | 'rewind', request: number) => void;
  readonly compare: () => void;
  readonly endCompare: () => void;
  readonly exportAs: (format: ExportFormat) => void;
  readonly readAgain: () => void;
  readonly openAsText: () => void;
  /** A request was chosen in the list of a log. */
  readonly choose: (slot: Slot, request: number) => void;
  /** A question that could not be answered, or an error of the page. */
  readonly failed: (error: unknown) => void;
}
