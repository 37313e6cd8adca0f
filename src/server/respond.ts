// Sends an answer: as one document, or as server-sent events while it comes.
import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import { toApiError } from './apiError';
import type { Asked } from './asked';
import { answers, type Answer } from './collected';
import type { Completer } from './completer';
import type { Metrics } from './metrics';
import { framed, type Frame, type Shape } from './shape';
import { usageOf } from './usage';

export interface Respond {
  readonly completer: Completer;
  readonly metrics: Metrics;
  readonly asked: readonly Asked[];
  readonly shape: Shape;
  readonly frame: Frame;
  readonly rounds: boolean;
  /** A last chunk with the usage. */
  readonly includeUsage: boolean;
}

/** What clients and logs see of an answer's speculation without reading the usage. */
function headersOf(all: readonly Answer[]): Record<string, string> {
  const declined = all.find(({ outcome }) => !outcome.speculation.engaged)?.outcome.speculation.reason;
  return declined === undefined ? {} : { 'x-moire-speculation': `off: ${declined.replace(/[^\x20-\x7e]/g, ' ').slice(0, 500)}` };
}

export async function respond(c: Context, { completer, metrics, asked, shape, frame, rounds }: Respond): Promise<Response> {
  const all = await answers(completer, asked, c.req.raw.signal);
  for (const { outcome } of all) metrics.answered(outcome);
  const choices = await Promise.all(all.map((answer, index) => shape.whole(index, answer)));
  return c.json({ ...framed(frame, shape.object, choices), usage: usageOf(all, rounds) }, 200, headersOf(all));
}

/** Nobody waits for this client: what it does not read is kept here, no more than one answer. */
export function respondInPieces(c: Context, its: Respond): Response {
  const gone = new AbortController();
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => gone.abort());
    try {
      await send(stream, its, AbortSignal.any([gone.signal, c.req.raw.signal]));
    } catch (error) {
      // The status has been sent, so the error comes as an event.
      if (!gone.signal.aborted) await stream.writeSSE({ event: 'error', data: JSON.stringify(toApiError(error).body) });
    }
  });
}

async function send(stream: SSEStreamingApi, { completer, metrics, asked, shape, frame, rounds, includeUsage }: Respond, gone: AbortSignal): Promise<void> {
  const usage = includeUsage ? { usage: null } : {};
  let sent = Promise.resolve();
  const write = (choice: Record<string, unknown>): void => {
    sent = sent.then(() => stream.writeSSE({ data: JSON.stringify({ ...framed(frame, shape.chunkObject, [choice]), ...usage }) }));
  };
  for (const index of asked.keys()) {
    const opening = await shape.opening(index);
    if (opening !== null) write(opening);
  }
  const all = await answers(completer, asked, gone, (index, delta, collected) => write(shape.piece(index, delta, collected.text.length - delta.text.length)));
  for (const [index, { outcome, collected }] of all.entries()) {
    metrics.answered(outcome);
    write(shape.closing(index, outcome, collected));
  }
  await sent;
  if (includeUsage) await stream.writeSSE({ data: JSON.stringify({ ...framed(frame, shape.chunkObject, []), usage: usageOf(all, rounds) }) });
  await stream.writeSSE({ data: '[DONE]' });
}
