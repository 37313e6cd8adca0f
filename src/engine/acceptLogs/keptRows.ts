// Kept rows (accepted + 1) as accepted drafts.
import type { CaptureBuilder } from './builder';
import type { LogLine } from './reader';

/** Null, and a finding, where a round kept no row: the bonus row is always kept. */
export function keptToAccepted(capture: CaptureBuilder, kept: readonly number[], at: LogLine): number[] | null {
  const round = kept.findIndex((rows) => rows < 1);
  if (round < 0) return kept.map((rows) => rows - 1);
  capture.find({ identity: 'kept rows >= 1', sentence: `round ${round} kept ${kept[round] ?? 0} rows, but the row of the bonus token is always kept`, round }, at);
  return null;
}
