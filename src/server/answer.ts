// The app as Node's HTTP server calls it.
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { ApiError } from './apiError';
import { appOf, type AppOptions } from './app';

const json = (error: ApiError): Response => Response.json(error.body, { status: error.status });

export function answerOf(options: AppOptions): RequestListener {
  const answer = getRequestListener(appOf(options).fetch, { errorHandler: (error) => json(new ApiError(400, `The address of the request cannot be read: ${error instanceof Error ? error.message : 'it is not valid'}.`)) });
  return (request, response) => void answer(request, response);
}
