// Exchanges with a server as a file: recorded through a proxy, and played back by a server that knows nothing else.
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { bodyOf, listening, type Listening } from './support';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** Of a POST. What differs from run to run is left out. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: string;
}

export interface Transcript {
  /** What answered, and where the exchanges are from: a real run, or documentation. */
  readonly from: string;
  readonly exchanges: readonly Exchange[];
}

const volatile = (body: Readonly<Record<string, unknown>>): Record<string, unknown> => Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'cache_salt'));
const parsed = (text: string): Readonly<Record<string, unknown>> | undefined => (text === '' ? undefined : volatile(JSON.parse(text) as Record<string, unknown>));
const kept = (headers: Headers): Record<string, string> => Object.fromEntries(['content-type', 'server'].flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])));

export function transcriptOf(file: string): Transcript {
  return JSON.parse(readFileSync(file, 'utf8')) as Transcript;
}

/** Each answer is given once and in order, the last of its kind for good. */
export function replay({ exchanges }: Transcript): Promise<Listening> {
  const left = [...exchanges];
  const play: RequestListener = (request, response) => {
    void bodyOf(request).then((text) => {
      const body = parsed(text);
      const fits = (one: Exchange): boolean => one.method === request.method && one.path === request.url && isDeepStrictEqual(one.body, body);
      const at = left.findIndex(fits);
      const found = left[at];
      if (found === undefined) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error": "this transcript has no such request"}');
      if (left.filter(fits).length > 1) left.splice(at, 1);
      return response.writeHead(found.status, found.headers).end(found.answer);
    });
  };
  return listening(play);
}

const forwarded = ({ host: _, connection: __, 'content-length': ___, ...headers }: IncomingHttpHeaders): [string, string][] => Object.entries(headers).map(([name, value]) => [name, String(value)]);

/** A proxy of `url` that keeps what passes through it. `clean` takes out what belongs to this machine. */
export async function recording(url: string, clean: (text: string) => string): Promise<Listening & { save: (file: string, from: string) => void }> {
  const exchanges: Exchange[] = [];
  const listened = await listening((request, response) => {
    void bodyOf(request).then(async (text) => {
      const { method = 'GET', url: path = '/' } = request;
      const answer = await fetch(url + path, { method, headers: [...forwarded(request.headers), ['connection', 'close']], ...(text === '' ? {} : { body: text }) });
      const headers = kept(answer.headers);
      const told = await answer.text();
      const body = parsed(clean(text));
      const fresh = exchanges.filter((one) => one.method === method && one.path === path && isDeepStrictEqual(one.body, body)).length < (method === 'GET' ? 1 : 2);
      if (fresh) exchanges.push({ method, path, ...(body === undefined ? {} : { body }), status: answer.status, headers, answer: clean(told) });
      response.writeHead(answer.status, headers).end(told);
    });
  });
  return { ...listened, save: (file, from) => writeFileSync(file, `${JSON.stringify({ from, exchanges }, null, 1)}\n`) };
}
