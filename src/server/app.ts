// The endpoints.
import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import type { z } from 'zod';
import { parseBounded } from '../shared/boundedJson';
import { firstIssue } from '../shared/issues';
import { ApiError, toApiError } from './apiError';
import { chatAsked, completionsAsked, type Asked, type Asker } from './asked';
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

const jsonLimits = { depth: 64, containers: 100_000, names: 10_000 } as const;

async function parsed<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const body = parseBounded(await c.req.text(), jsonLimits);
  if (!body.ok) throw new ApiError(400, `The body cannot be read as JSON: ${body.reason}.`);
  const result = schema.safeParse(body.value);
  if (result.success) return result.data;
  const { place, message } = firstIssue(result.error);
  throw new ApiError(400, `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`, place === '' ? null : place);
}

/** Requests of one connection's address wait behind each other. */
const clientOf = (c: Context): string => (c.env as { incoming?: { socket?: { remoteAddress?: string; remotePort?: number } } }).incoming?.socket?.remoteAddress ?? '';

const wantedOf = ({ return_token_ids: ids, return_tokens: tokens }: CompletionRequest | ChatRequest): Wanted => ({ ids: ids === true, tokens: tokens === true });

/** What the two endpoints of completions differ in. */
interface Completing<B> {
  readonly schema: z.ZodType<B>;
  /** Ids of answers begin with it. */
  readonly name: string;
  readonly choices: (body: B, completer: Completer, asker: Asker) => Promise<Asked[]>;
  readonly shape: (asked: readonly Asked[], body: B) => Shape;
}

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
  const completing = <B extends CompletionRequest | ChatRequest>(endpoint: string, { schema, name, choices, shape }: Completing<B>): void => {
    app.post(endpoint, async (c) => {
      requireEngine();
      const body = await parsed(c, schema);
      requireModel(body.model);
      const id = `${name}-${randomUUID()}`;
      const asked = await choices(body, completer, { id, client: clientOf(c) });
      const frame = { id, created: Math.floor(Date.now() / 1000), model: facts.id, fingerprint: facts.fingerprint };
      const its = { completer, metrics, asked, shape: shape(asked, body), frame, rounds: body.return_rounds === true, includeUsage: body.stream_options?.include_usage === true };
      return body.stream === true ? respondInPieces(c, its) : respond(c, its);
    });
  };

  completing('/v1/completions', { schema: CompletionRequest, name: 'cmpl', choices: completionsAsked, shape: (asked, body) => completionShape(asked, { echo: body.echo === true, ...wantedOf(body) }) });
  completing('/v1/chat/completions', { schema: ChatRequest, name: 'chatcmpl', choices: chatAsked, shape: (asked, body) => chatShape(asked, wantedOf(body)) });
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
    const beyond = tokens.findIndex((id) => id >= facts.vocab);
    if (beyond >= 0) throw new ApiError(400, `Token id ${tokens[beyond]} is beyond the vocabulary of ${facts.vocab}. Use ids from 0 to ${facts.vocab - 1}.`, `tokens[${beyond}]`);
    return c.json({ content: (await completer.detokenize(tokens, false)).text });
  });
  app.get('/health', async (c) => (completer.away === null ? c.json({ status: 'ok', ...(await completer.state()) }) : c.json({ status: 'unavailable', reason: completer.away }, 503)));
  app.get('/metrics', async (c) => c.text(await metrics.text(), 200, { 'content-type': metrics.contentType }));
  return app;
}
