// The beginning of a text: whether it is a known log, of which engine, and where its requests stand.
import { least } from '../../shared/extremes';
import type { QuickLook, QuickLookRequest } from '../../shared/logReaderProtocol';
import { Problem } from '../problem';
import { CaptureBuilder } from './builder';
import { Dispatch } from './dispatch';
import { looksLikeDocument } from './importCapture';
import { parseJson } from './jsonText';
import { KeyPlaces } from './keyPlaces';
import { OpenRequests } from './openRequests';

/** Requests that get a place of their own. */
const mostRequests = 50;

function readInto(dispatch: Dispatch, { text, whole }: QuickLookRequest): void {
  if (looksLikeDocument(text)) {
    const parsed = whole ? parseJson(text) : null;
    if (parsed?.ok !== true) return;
    const keys = new KeyPlaces(text);
    dispatch.document(parsed.value, (key) => keys.next(key));
    dispatch.end(0);
    return;
  }
  const lines = text.split(/\r?\n/);
  // The last line of a piece is cut somewhere.
  for (const [i, line] of (whole ? lines : lines.slice(0, -1)).entries()) dispatch.line(i + 1, line);
  if (whole) dispatch.end(lines.length);
}

export function quickLook(request: QuickLookRequest): QuickLook {
  const builder = new CaptureBuilder('', '');
  try {
    readInto(new Dispatch(builder), request);
  } catch (error) {
    // More than is kept of one log, or a damaged header: what was read until then is enough for a look.
    if (!(error instanceof Problem)) throw error;
  }
  if (!builder.recognised) return null;
  const { engine, grade, formats, requests } = builder.soFar(0);
  const all = [...requests, ...new OpenRequests().from(builder.open, requests.length)];
  const first = least(formats.map(({ firstLine }) => firstLine ?? 1));
  const placed = all.filter(({ line }) => line !== null).slice(0, mostRequests);
  return { engine, grade: grade ?? all[0]?.grade ?? null, line: first, requests: placed.map(({ ordinal, request: name, line, roundCount }) => ({ ordinal, name, line: line ?? 1, rounds: roundCount })) };
}
