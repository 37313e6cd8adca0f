// Servers that mean no good, or are none: every request ends, in words, and nothing goes anywhere else.
import { afterEach, describe, expect, it } from 'vitest';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { RequestListener, ServerResponse } from 'node:http';
import { ask, greedy } from '../../../src/engine/attached/client';
import { askJson, exchange, textOf } from '../../../src/engine/attached/http';
import { streamedDocument } from '../../../src/engine/attached/stream';
import { toldBy } from '../../../src/engine/attached/answer';
import { countersOf } from '../../../src/engine/attached/counters';
import { saidBy } from '../../../src/engine/attached/failure';
import { servedPresets } from '../../../src/shared/servedPresets';
import { problemOf } from '../speculation/support';
import { answersOf, json, listening, without, type Listening } from './support';

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

async function serving(answer: RequestListener): Promise<string> {
  const listened = await listening(answer);
  open.push(listened);
  return listened.url;
}

const limits = { bytes: 4096, headMs: 300, totalMs: 600 };
const attach = (url: string): Promise<unknown> => without.attach({ url, model: '', token: '' });
const get = (url: string): Promise<unknown> => askJson({ url, token: '' }, { path: '/v1/models' }, { limits });
const stream = (url: string): Promise<unknown> => exchange({ url, token: '' }, { path: '/v1/completions', body: {} }, { limits }, streamedDocument);
const events = (response: ServerResponse): ServerResponse => response.writeHead(200, { 'content-type': 'text/event-stream' });

describe('what is no server', () => {
  it.each([
    ['nonsense', 'is no address of a server: the address is no URL'],
    ['ftp://127.0.0.1', 'begins with http:// or https://'],
    ['http://user:secret@127.0.0.1', 'holds a user name or password'],
    ['http://127.0.0.1/?key=secret', 'has a query'],
  ])('is refused before anything is sent: %s', async (url, sentence) => {
    const { title } = await problemOf(attach(url));
    expect(title).toContain(sentence);
    expect(title).not.toContain('secret');
  });

  it('says that nothing listens', async () => {
    const { url, close } = await listening(() => undefined);
    await close();
    expect(await problemOf(attach(url))).toMatchObject({ kind: 'environment', title: 'The server cannot be reached: nothing listens there' });
  });

  it('says that a host has no name', async () => {
    expect((await problemOf(attach('http://nowhere.invalid'))).title).toMatch(/no host of that name|cannot be looked up/);
  });

  it('says that a port speaks no HTTP', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-x\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      expect((await problemOf(attach(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))).title).toContain('does not speak HTTP');
    } finally {
      server.close();
    }
  });
});

describe('answers that are none', () => {
  it('takes HTML, broken JSON and other shapes for what they are', async () => {
    expect((await problemOf(attach(await serving((_, response) => response.end('<html><body>hello</body></html>'))))).title).toBe("The server's answer is not JSON: it looks like a page of HTML");
    expect((await problemOf(attach(await serving((_, response) => response.end('{"data": ['))))).title).toContain('is not JSON');
    expect((await problemOf(attach(await serving((_, response) => json(response, { data: [{ id: 7 }] }))))).title).toContain('is not a list of models: data[0].id');
    expect((await problemOf(attach(await serving((_, response) => json(response, { data: [] }))))).title).toBe('The server names no model');
  });

  it('quotes what a server says on one line, without what steers a terminal', async () => {
    const url = await serving((_, response) => json(response, { error: { message: `a\u001b[31m\nb${'x'.repeat(5000)}` } }, 500));
    const { title } = await problemOf(attach(url));
    expect(title).toMatch(/^The server answers with status 500: a \[31m bx+…$/);
    expect(title.length).toBeLessThan(400);
    expect(saidBy('{"detail": [{"msg": "no"}]}')).toBe('');
    expect(saidBy('{"error": "plain"}')).toBe('plain');
  });

  it('follows no redirect, and sends no token to another place', async () => {
    const heard: unknown[] = [];
    const other = await serving((request, response) => {
      heard.push(request.headers);
      json(response, { data: [] });
    });
    const url = await serving((_, response) => response.writeHead(307, { location: `${other}/v1/models` }).end());
    const { title } = await problemOf(without.attach({ url, model: '', token: 'secret' }));
    expect(title).toContain('a redirect (307');
    expect(heard).toEqual([]);
  });
});

describe('a server that repeats the token', () => {
  const token = 'sk-0123456789';

  it('has it in no message, whole or in a stream', async () => {
    const url = await serving((request, response) => json(response, { error: { message: `no such key: ${String(request.headers.authorization)}` } }, 500));
    expect((await problemOf(without.attach({ url, model: '', token }))).title).toBe('The server answers with status 500: no such key: Bearer (token)');
    const moved = await serving((_, response) => response.writeHead(307, { location: `http://127.0.0.1:9/?key=${token}` }).end());
    expect((await problemOf(without.attach({ url: moved, model: '', token }))).title).not.toContain(token);
    const told = await serving((_, response) => events(response).end(`data: {"error":{"message":"key ${token}"}}\n\n`));
    expect((await problemOf(exchange({ url: told, token }, { path: '/v1/completions', body: {} }, { limits }, streamedDocument))).title).toBe('The server ended its stream with an error: key (token)');
  });
});

describe('answers without end', () => {
  it('ends a body that is larger than it may be, said or not', async () => {
    const said = await serving((_, response) => response.writeHead(200, { 'content-length': 1e12 }).flushHeaders());
    expect((await problemOf(get(said))).title).toContain('larger than 4096 bytes');
    const endless = await serving((_, response) => {
      const write = (): unknown => response.destroyed || response.write('x'.repeat(1024), () => setImmediate(write));
      write();
    });
    expect((await problemOf(get(endless))).title).toContain('larger than 4096 bytes');
  });

  it('ends a request whose headers or last byte do not come', async () => {
    expect((await problemOf(get(await serving(() => undefined)))).title).toBe('The server sent no headers within 0 s');
    const slow = await serving((_, response) => response.writeHead(200).write('{'));
    expect((await problemOf(get(slow))).title).toContain('did not finish its answer');
  });

  it('ends with the run that is cancelled', async () => {
    const stop = new AbortController();
    const url = await serving(() => stop.abort());
    expect(await problemOf(exchange({ url, token: '' }, { path: '/' }, { limits, signal: stop.signal }, textOf))).toMatchObject({ kind: 'cancelled' });
  });
});

describe('streams', () => {
  const piece = (text: string): string => `data: ${JSON.stringify({ choices: [{ index: 0, text, logprobs: { tokens: [text], token_logprobs: [-1], top_logprobs: [null] } }] })}\n\n`;

  it('are put together, whatever pieces their bytes come in', async () => {
    const text = `: ping\n\n${piece('ä')}${piece(' b')}data: ${JSON.stringify({ choices: [], usage: { completion_tokens: 2 } })}\n\ndata: [DONE]\n\n`;
    const url = await serving((_, response) => {
      events(response);
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });
    expect(toldBy(await stream(url), url)).toMatchObject({ text: 'ä b', emitted: 2, tokens: [{ text: 'ä', logprob: -1 }, { text: ' b', logprob: -1 }] });
  });

  it('that end early, break off, hold an error or no JSON, or are none', async () => {
    expect((await problemOf(stream(await serving((_, response) => events(response).end(piece('a')))))).title).toBe('The stream of the server ended before its last event');
    const cut = await serving((_, response) => {
      events(response).write(piece('a'));
      setTimeout(() => response.destroy(), 20);
    });
    expect((await problemOf(stream(cut))).title).toMatch(/closed the connection|ended before its last event/);
    expect((await problemOf(stream(await serving((_, response) => events(response).end(`${piece('a')}event: error\ndata: {"error": {"message": "out of memory"}}\n\n`))))).title).toBe('The server ended its stream with an error: out of memory');
    expect((await problemOf(stream(await serving((_, response) => events(response).end('data: {nope\n\n'))))).title).toContain('is not JSON');
    expect((await problemOf(stream(await serving((_, response) => json(response, {}))))).title).toContain('is not a stream of events');
  });

  it('without end are ended', async () => {
    const url = await serving((_, response) => {
      events(response);
      const write = (): unknown => response.destroyed || response.write(piece('x'), () => setImmediate(write));
      write();
    });
    expect((await problemOf(stream(url))).title).toContain('larger than 4096 bytes');
  });
});

describe('absurd numbers', () => {
  const document = (logprobs: unknown): unknown => ({ choices: [{ text: 'a', logprobs }] });
  it.each([
    ['a log probability above 0', { content: [{ token: 'a', logprob: 7 }] }, 'a log probability is not above 0'],
    ['text for a number', { content: [{ token: 'a', logprob: 'much' }] }, 'content[0].logprob'],
    ['lists of other lengths', { tokens: ['a', 'b'], token_logprobs: [-1] }, '2 tokens and 1 log probabilities'],
  ])('are no answer: %s', async (_, logprobs, sentence) => {
    expect((await problemOf(new Promise(() => toldBy(document(logprobs), 'there')))).title).toContain(sentence);
  });

  it('are no counters', () => {
    expect(countersOf('vllm:spec_decode_num_drafts_total{engine="0"} NaN\nvllm:spec_decode_num_draft_tokens_total -3\n')).toBeNull();
    expect(countersOf('vllm:spec_decode_num_drafts_total{engine="0"} 2\nvllm:spec_decode_num_drafts_total{engine="1"} 3\n')).toEqual({ from: '/metrics', rounds: 5, drafted: -1, accepted: -1 });
  });
});

/** A server that answers every completion with what `text` gives, and tells no tokens. */
function talker(text: (count: number) => string): RequestListener {
  let count = 0;
  return (request, response) => {
    if (request.url === '/v1/models') return json(response, { data: [{ id: 'm', owned_by: 'me' }] });
    if (request.url === '/v1/completions') return json(response, { choices: [{ text: text((count += 1)), finish_reason: 'length' }] });
    json(response, { error: 'no such page' }, 404);
  };
}

describe('a server that tells nothing but text', () => {
  it('is compared by characters, and what its reports do not cover says so', async () => {
    const url = await serving(talker(() => 'the same\u0000\u001b[2J'));
    const report = await answersOf({ ...servedPresets.repeat({ url, model: '' }), prompts: ['a'], times: 3 });
    expect(report).toMatchObject({ verdict: { word: 'equal' }, answers: { pairs: [{ unit: 'characters', common: 13, logprobs: { compared: 0 } }, {}] } });
    expect(report.coverage.notCovered.join()).toContain('texts alone were compared');
    expect(report.provenance.servers?.[0]).toMatchObject({ engine: 'unknown', evidence: 'its models are owned by "me"' });
  });

  it('is caught when it answers otherwise; without a margin that is neither a tie nor a defect', async () => {
    const url = await serving(talker((count) => `answer ${count}`));
    const report = await answersOf({ ...servedPresets.repeat({ url, model: '' }), prompts: ['a'], times: 2 });
    expect(report).toMatchObject({ verdict: { word: 'void' }, answers: { pairs: [{ common: 7, fork: { gap: 'NaN', word: 'void' } }] } });
    expect(report.verdict.sentence).toContain('how far these are apart is not told');
  });

  it('cannot be scored, and says so before it is asked', async () => {
    const url = await serving(talker(() => 'a'));
    expect((await problemOf(answersOf({ ...servedPresets.rescore({ url, model: '' }), prompts: ['a'] }))).title).toContain('gives no log probabilities');
    expect((await problemOf(answersOf({ ...servedPresets.repeat({ url, model: '' }), endpoint: 'chat', prompts: ['a'] }))).title).toContain('does not answer chat');
  });
});

it('sends the token to its origin alone, and the fields that its engine knows', async () => {
  const heard: { authorization: string | undefined; body: string }[] = [];
  const url = await serving((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString())).on('end', () => {
      heard.push({ authorization: request.headers.authorization, body });
      json(response, { choices: [{ text: 'a' }] });
    });
  });
  const server = { engine: 'vllm', model: 'm', capabilities: [{ name: 'logprobs', state: 'yes', detail: '' }] } as const;
  for (const cache of ['off', 'off', 'on'] as const) await ask({ url, token: 't' }, { ...server, capabilities: [...server.capabilities] }, { ...greedy, endpoint: 'completions', prompt: 'p', tokens: 3, cache }, { limits });
  expect(heard.map(({ authorization }) => authorization)).toEqual(['Bearer t', 'Bearer t', 'Bearer t']);
  const [first, second, third] = heard.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(third).toEqual({ model: 'm', prompt: 'p', max_tokens: 3, temperature: 0, logprobs: 5, return_token_ids: true });
  expect(first?.['cache_salt']).not.toBe(second?.['cache_salt']);
});
