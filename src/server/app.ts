// The endpoints.
import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import type { z } from 'zod';
import { firstIssue } from '../shared/issues';
import { ApiError, toApiError } from './apiError';
import { chatAsked, completionsAsked, type Asked } from './asked';
import { chatShape } from './chatShape';
import type { Completer } from './completer';
import { completionShape } from './completionShape';
import { guard, type GuardOptions } from './guard';
import { Metrics } from './metrics';
import { respond, respondInPieces } from './respond';
import { ChatRequest, CompletionRequest, DetokenizeRequest, TokenizeRequest } from './schemas';
import type { Shape, Wanted } from './shape';

export interface AppOptions extends GuardOptions {
  readonly completer: Completer;
  /** Bytes of a request. */
  readonly bodyBytes: number;
}

async function parsed<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  let body: unknown;
  try {
    body = JSON.parse(await c.req.text());
  } catch (error) {
    throw new ApiError(400, `The body is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`);
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { place, message } = firstIssue(result.error);
  throw new ApiError(400, `${message}${/[.!?]$/.test(message) ? '' : '.'}`, place === '' ? null : place);
}

/** Requests of one connection's address wait behind each other. */
const clientOf = (c: Context): string => (c.env as { incoming?: { socket?: { remoteAddress?: string; remotePort?: number } } }).incoming?.socket?.remoteAddress ?? '';

const wantedOf = ({ return_token_ids: ids, return_tokens: tokens }: CompletionRequest | ChatRequest): Wanted => ({ ids: ids === true, tokens: tokens === true });

export function appOf({ completer, bodyBytes, ...guarded }: AppOptions): Hono {
  const { facts } = completer;
  const metrics = new Metrics(completer);
  const app = new Hono();
  const created = Math.floor(Date.now() / 1000);

  app.use(async (c, next) => {
    await next();
    metrics.request(routePath(c), c.res.status);
  });
  app.use(guard(guarded));
  app.use(bodyLimit({ maxSize: bodyBytes, onError: () => { throw new ApiError(413, `The body is larger than ${bodyBytes} bytes.`); } }));
  app.onError((error, c) => {
    const api = toApiError(error);
    return c.json(api.body, api.status, api.status === 503 ? { 'retry-after': '1' } : {});
  });
  app.notFound((c) => c.json(new ApiError(404, `There is no ${c.req.method} ${c.req.path.slice(0, 200)} here.`).body, 404));

  const requireEngine = (): void => {
    if (completer.away !== null) throw new ApiError(503, completer.away, null, 'engine_unavailable');
  };
  const requireModel = (name: string): void => {
    if (name !== facts.id && name !== facts.path) throw new ApiError(404, `The model "${name.slice(0, 200)}" is not served. Use "${facts.id}".`, 'model', 'model_not_found');
  };
  const answer = async (c: Context, body: CompletionRequest | ChatRequest, id: string, asked: readonly Asked[], shape: Shape): Promise<Response> => {
    const frame = { id, created: Math.floor(Date.now() / 1000), model: facts.id, fingerprint: facts.fingerprint };
    const its = { completer, metrics, asked, shape, frame, rounds: body.return_rounds === true, includeUsage: body.stream_options?.include_usage === true };
    return body.stream === true ? respondInPieces(c, its) : respond(c, its);
  };

  app.post('/v1/completions', async (c) => {
    requireEngine();
    const body = await parsed(c, CompletionRequest);
    requireModel(body.model);
    const id = `cmpl-${randomUUID()}`;
    const asked = await completionsAsked(body, completer, { id, client: clientOf(c) });
    return answer(c, body, id, asked, completionShape(asked, { echo: body.echo === true, ...wantedOf(body) }));
  });
  app.post('/v1/chat/completions', async (c) => {
    requireEngine();
    const body = await parsed(c, ChatRequest);
    requireModel(body.model);
    const id = `chatcmpl-${randomUUID()}`;
    const asked = await chatAsked(body, completer, { id, client: clientOf(c) });
    return answer(c, body, id, asked, chatShape(asked, wantedOf(body)));
  });
  app.post('/v1/embeddings', () => {
    throw new ApiError(404, `${facts.id} is a text generator (${facts.architecture}) without an embedding head, so it serves no embeddings.`, 'model', 'no_embeddings');
  });
  const modelFacts = { id: facts.id, object: 'model', created, owned_by: 'local', context_length: facts.context, moire: facts };
  app.get('/v1/models', (c) => c.json({ object: 'list', data: [modelFacts] }));
  app.get('/v1/models/:id', (c) => {
    requireModel(c.req.param('id'));
    return c.json(modelFacts);
  });
  app.post('/tokenize', async (c) => {
    requireEngine();
    const { content, prompt, add_special: special } = await parsed(c, TokenizeRequest);
    return c.json({ tokens: await completer.tokenize(content ?? prompt ?? '', special !== false) });
  });
  app.post('/detokenize', async (c) => {
    requireEngine();
    const { tokens } = await parsed(c, DetokenizeRequest);
    return c.json({ content: (await completer.detokenize(tokens, false)).text });
  });
  app.get('/health', async (c) => (completer.away === null ? c.json({ status: 'ok', ...(await completer.state()) }) : c.json({ status: 'unavailable', reason: completer.away }, 503)));
  app.get('/metrics', async (c) => c.text(await metrics.text(), 200, { 'content-type': metrics.contentType }));
  return app;
}
