// Who may ask: the right host name, no foreign page, and the token.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { ApiError } from './apiError';

export interface GuardOptions {
  /** Null: anybody who reaches the port. */
  readonly token: string | null;
  /** Host names besides those of this machine. */
  readonly hosts: readonly string[];
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

const nameOf = (host: string): string => host.replace(/:\d*$/, '').toLowerCase();

/** A page of another site can make a browser send requests here, also under a name that was made to point here. */
export function guard({ token, hosts }: GuardOptions): MiddlewareHandler {
  const known = new Set([...loopback, ...hosts.map((host) => host.toLowerCase())]);
  return async (c, next) => {
    const host = c.req.header('host') ?? '';
    if (!known.has(nameOf(host))) throw new ApiError(403, `The host "${host.slice(0, 128)}" is not this server's. Use http://127.0.0.1, or name the host with --allow-host.`, null, 'host_not_allowed');
    const origin = c.req.header('origin');
    if (origin !== undefined && !isOwn(origin, known)) throw new ApiError(403, `Pages of ${origin.slice(0, 128)} may not use this server.`, null, 'origin_not_allowed');
    if (token !== null && c.req.path !== '/health' && !carries(c.req.header('authorization') ?? '', token)) {
      throw new ApiError(401, 'The token is missing or wrong. Send "Authorization: Bearer TOKEN" with the token that was shown when the server started.', null, 'invalid_api_key');
    }
    await next();
  };
}

function isOwn(origin: string, known: ReadonlySet<string>): boolean {
  return URL.canParse(origin) && known.has(new URL(origin).hostname.toLowerCase());
}

/** In a time that tells nothing of the token. */
function carries(header: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header.replace(/^bearer +/i, '')), digest(token));
}
