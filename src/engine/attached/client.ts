// Asks a server for answers, in the dialect of its engine.
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../shared/experiment';
import { can, type ServerProfile } from '../../shared/serverProfile';
import { toldBy, type Told } from './answer';
import { chatLogprobs, dialects } from './dialects';
import { askJson, exchange, successOf, type ExchangeCall, type Target } from './http';
import { streamedDocument } from './stream';

/** Candidates asked for of every token: completions of OpenAI's form give at most so many. */
export const candidates = 5;

export interface Ask {
  readonly endpoint: Endpoint;
  /** Text, or ids where the server takes them. */
  readonly prompt: string | readonly number[];
  readonly tokens: number;
  readonly temperature: number;
  readonly seed: number | null;
  readonly logprobs: boolean;
  /** `off` is sent where the engine knows how; else nothing is. */
  readonly cache: 'on' | 'off';
  /** Probabilities of the prompt as well. */
  readonly echo?: boolean;
}

export const greedy = { temperature: 0, seed: null, logprobs: true, cache: 'on' } as const;

type Asked = Pick<ServerProfile, 'engine' | 'model' | 'capabilities'>;

/** The body of a request. Exported for tests: what is sent is what a report says of it. */
export function bodyOf({ engine, model, capabilities }: Asked, ask: Ask, stream: boolean): Record<string, unknown> {
  const dialect = dialects[engine];
  const { endpoint, prompt, tokens, temperature, seed, logprobs, cache, echo } = ask;
  const chat = endpoint === 'chat';
  const probabilities = chat ? chatLogprobs(engine, candidates) : dialect.logprobs(candidates);
  return {
    model,
    ...(chat ? { messages: [{ role: 'user', content: prompt }] } : { prompt }),
    max_tokens: tokens,
    temperature,
    ...(temperature > 0 ? { top_p: 1 } : {}),
    ...(seed === null ? {} : { seed }),
    ...(logprobs && can({ capabilities }, chat ? 'chat logprobs' : 'logprobs') ? probabilities : {}),
    ...(cache === 'off' ? (dialect.cacheOff?.fields(randomUUID()) ?? {}) : {}),
    ...(echo === true ? { echo: true } : {}),
    ...dialect.ids,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

const paths: Readonly<Record<Endpoint, string>> = { completions: '/v1/completions', chat: '/v1/chat/completions' };

/** A whole answer, streamed where the server streams all that it tells: a long one then shows that it goes on. Throws a Problem. */
export async function ask(target: Target, server: Asked, question: Ask, call: ExchangeCall): Promise<Told> {
  const stream = can(server, 'stream') && question.echo !== true;
  const sent = { path: paths[question.endpoint], body: bodyOf(server, question, stream) };
  if (!stream) return toldBy((await askJson(target, sent, call)).value, target.url + sent.path);
  return exchange(target, sent, call, async (received) => toldBy(await streamedDocument(await successOf(received)), received.where));
}
