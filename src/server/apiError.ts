// Errors as clients of an OpenAI-compatible server know them.
import path from 'node:path';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { toProblem } from '../engine/problem';

export interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly param: string | null; readonly code: string | null };
}

export class ApiError extends Error {
  constructor(
    readonly status: ContentfulStatusCode,
    message: string,
    /** The field of the request that is wrong. */
    readonly param: string | null = null,
    readonly code: string | null = null,
  ) {
    super(message);
  }

  get body(): ErrorBody {
    const { message, param, code } = this;
    return { error: { message, type: typeOf(this.status), param, code } };
  }
}

function typeOf(status: number): string {
  if (status === 401 || status === 403) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

/** Bad input is the client's; an engine that is away comes back, so the client may try again. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { kind, title, place, action } = toProblem(error).data;
  const message = [title, action].filter((part) => part !== '').map((part) => (/[.!?]$/.test(part) ? part : `${part}.`)).join(' ');
  // A file of the model is not what the client gave.
  if (kind === 'input' && !path.isAbsolute(place)) return new ApiError(400, message, place === '' ? null : place, place === 'max_tokens' ? 'context_length_exceeded' : null);
  const away = kind === 'environment' || kind === 'cancelled';
  return new ApiError(away ? 503 : 500, message, null, away ? 'engine_unavailable' : null);
}
