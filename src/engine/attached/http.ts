// One request to a server of somebody else: bounded in time and size, sent to no other place, and its failures in words.
import { setTimeout, clearTimeout } from 'node:timers';
import { withoutToken } from '../../shared/withoutToken';
import { parseBounded } from '../../shared/boundedJson';
import { redirected, requestProblem, statusProblem, tooLarge, tooLate, wrongShape } from './failure';
import { jsonLimits, type ExchangeLimits } from './limits';

export interface Target {
  /** http://host:port, without /v1. */
  readonly url: string;
  /** Bearer token, "" for none. */
  readonly token: string;
}

export interface Sent {
  readonly path: string;
  /** A body makes it a POST. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface ExchangeCall {
  readonly limits: ExchangeLimits;
  readonly signal?: AbortSignal | undefined;
}

/** What `read` is given: the answer with its headers, and its body piece by piece, which throws where it is too large. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
  readonly where: string;
  /** What was read, without the token that was sent. */
  readonly clean: (text: string) => string;
}

async function* counted(response: Response, most: number, where: string): AsyncGenerator<Uint8Array> {
  if (Number(response.headers.get('content-length') ?? 0) > most) throw tooLarge(most, where);
  let bytes = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > most) throw tooLarge(most, where);
    yield piece;
  }
}

/** Throws a Problem; `read` may throw some of its own. The connection is given up when `read` is done, whatever it left unread. */
export async function exchange<T>({ url, token }: Target, { path, body }: Sent, { limits, signal }: ExchangeCall, read: (received: Received) => Promise<T>): Promise<T> {
  const where = url + path;
  const clean = (text: string): string => withoutToken(text, token);
  const stop = new AbortController();
  const head = setTimeout(() => stop.abort(tooLate('sent no headers', limits.headMs, where)), limits.headMs);
  const total = setTimeout(() => stop.abort(tooLate('did not finish its answer', limits.totalMs, where)), limits.totalMs);
  try {
    const response = await fetch(where, {
      method: body === undefined ? 'GET' : 'POST',
      // A kept connection may be closed by the server in the moment in which the next request is sent on it.
      headers: { connection: 'close', accept: 'application/json, text/event-stream, text/plain', ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]),
    });
    clearTimeout(head);
    const { status, headers } = response;
    if (status >= 300 && status < 400) throw redirected(status, clean(headers.get('location') ?? ''), where);
    return await read({ status, headers, body: counted(response, limits.bytes, where), where, clean });
  } catch (error) {
    throw requestProblem(stop.signal.aborted ? stop.signal.reason : error, where, signal);
  } finally {
    clearTimeout(head);
    clearTimeout(total);
    stop.abort();
  }
}

export async function textOf({ body, clean }: Pick<Received, 'body' | 'clean'>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  return clean(text + decoder.decode());
}

/** Throws a Problem for a status that is no success. */
export async function successOf(received: Received): Promise<Received> {
  if (received.status >= 200 && received.status < 300) return received;
  throw statusProblem(received.status, await textOf(received), received.where);
}

export function jsonOf(text: string, where: string): unknown {
  const parsed = parseBounded(text, jsonLimits);
  if (parsed.ok) return parsed.value;
  throw wrongShape('JSON', /^\s*</.test(text) ? 'it looks like a page of HTML' : parsed.reason, where);
}

/** A whole answer as JSON, with its headers. */
export function askJson(target: Target, sent: Sent, call: ExchangeCall): Promise<{ readonly value: unknown; readonly headers: Headers }> {
  return exchange(target, sent, call, async (received) => {
    const { headers, where } = await successOf(received);
    return { value: jsonOf(await textOf(received), where), headers };
  });
}
