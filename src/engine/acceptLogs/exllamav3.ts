// exllamav3: the draft_stats file, totals of a job.
import type { CaptureBuilder } from './builder';
import { listAt, textAt } from './jsonText';
import { formatsOf, type EngineLogs, type JsonObject, type JsonReader, type LogLine } from './reader';

const formats = formatsOf('exllamav3', 'exllamav3', {
  draftStats: ['draft_stats file', 'B', 'accepted drafts; entry = position, window, accepted, moving average', false, 'round'],
  job: ['job result', 'D', 'totals', false, 'request'],
});

function readStats(capture: CaptureBuilder, object: JsonObject, stats: readonly unknown[], at: LogLine): void {
  const column = (index: number): unknown[] => stats.map((entry) => (Array.isArray(entry) ? (entry as readonly unknown[])[index] : null));
  const stated = {
    accepted: capture.counts(column(2), 'accepted', at),
    drafted: capture.counts(column(1), 'window', at),
    positions: capture.counts(column(0), 'position', at),
  };
  capture.saw(formats.draftStats, at);
  if (stated.accepted === null) return;
  const request = [textAt(object, 'category'), textAt(object, 'file')].filter((part) => part !== null).join('/');
  capture.request({ format: formats.draftStats, request: request === '' ? null : request, stated, at });
}

function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['stats', 'draft_stats', 'accepted_draft_tokens'],
    read(object, at): boolean {
      const stats = listAt(object, 'draft_stats') ?? listAt(object, 'stats');
      if (stats?.every((entry) => Array.isArray(entry) && entry.length >= 3) === true) {
        readStats(capture, object, stats, at);
        return true;
      }
      if (!('accepted_draft_tokens' in object) || !('rejected_draft_tokens' in object)) return false;
      const acceptedSum = capture.count(object['accepted_draft_tokens'], 'accepted_draft_tokens', at);
      const rejectedSum = capture.count(object['rejected_draft_tokens'], 'rejected_draft_tokens', at);
      const proposedSum = acceptedSum === null || rejectedSum === null ? null : acceptedSum + rejectedSum;
      capture.request({ format: formats.job, stated: { acceptedSum, proposedSum }, at, facts: { rejectedSum } });
      return true;
    },
  };
}

export const exllamav3: EngineLogs = { formats: Object.values(formats), json };
