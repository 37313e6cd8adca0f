// What the user does in the page, as the parts of it tell it.
import type { ExportedFile } from '../../shared/exportedFile';
import type { ExportFormat, Slot } from '../../shared/logReaderProtocol';

export interface LogEvents {
  readonly goToLine: (slot: Slot, line: number) => void;
  readonly probe: (kind: 'replay' | 'rewind', request: number) => void;
  readonly compare: () => void;
  readonly endCompare: () => void;
  readonly exportAs: (format: ExportFormat) => void;
  readonly copy: (text: string) => void;
  /** A file of what the timeline shows. */
  readonly pictureAs: (file: ExportedFile) => void;
  readonly readAgain: () => void;
  readonly openAsText: () => void;
  /** A request was chosen in the list of a log. */
  readonly choose: (slot: Slot, request: number) => void;
  /** A question that could not be answered, or an error of the page. */
  readonly failed: (error: unknown) => void;
}
