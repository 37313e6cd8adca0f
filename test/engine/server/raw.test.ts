// Clients that misbehave, by bare sockets: each has an answer, and nobody else waits for them.
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { dflashPath } from '../speculation/support';
import { raw, startServing } from './support';

const serving = await startServing('--drafter', dflashPath, '--width', '4', '--matmul', 'exact', '--attention', 'exact');
afterAll(() => serving.stop());
const port = Number(new URL(serving.url).port);

/** Sends and gives what comes until the other side closes. */
function exchange(text: string): Promise<{ status: number; error: { message: string; type: string } | null }> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => (heard += data.toString()));
    socket.once('error', reject);
    socket.once('close', () => {
      const [, body = ''] = heard.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1]), error: body.startsWith('{"error"') ? (JSON.parse(body) as { error: { message: string; type: string } }).error : null });
    });
  });
}

const body = (more: Record<string, unknown>): string => JSON.stringify({ model: 'target-4bit', prompt: 'const a = ', temperature: 0, ignore_eos: true, ...more });
const post = (text: string): string => `POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${serving.token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

async function runs(running: number): Promise<void> {
  await expect.poll(async () => JSON.parse((await raw(serving, 'GET', '/health')).body) as unknown, { timeout: 10_000 }).toMatchObject({ running, waiting: 0 });
}

/** A socket that has begun a stream and reads nothing of it. */
function beginsAndStops(more: Record<string, unknown>): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(post(body({ stream: true, max_tokens: 1800, ...more }))));
    socket.once('data', (data) => {
      socket.pause();
      if (data.toString().startsWith('HTTP/1.1 200')) resolve(socket);
      else reject(new Error(data.toString()));
    });
    socket.once('error', reject);
  });
}

describe('an answer in the shape of errors', () => {
  it('to what is no HTTP, to headers without end, to a request that does not come', async () => {
    expect(await exchange('hello\r\n\r\n')).toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
    expect(await exchange(`GET /health HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 2000 }, (_, i) => `X-${i}: ${'y'.repeat(16)}\r\n`).join('')}\r\n`)).toMatchObject({ status: 431, error: { message: expect.stringContaining('16384') as string } });
    expect(await exchange('GET /health HTTP/1.1\r\nHost: localhost\r\n')).toMatchObject({ status: 408, error: { message: 'The request did not come in time.' } });
  }, 40_000);

  it('to a request without a host or with one that is none, to other expectations, to a proxy\'s', async () => {
    const asked = ['GET /health HTTP/1.1', 'GET /health HTTP/1.1\r\nHost: local host', 'GET /health HTTP/1.1\r\nHost: localhost:99999999', 'OPTIONS * HTTP/1.1\r\nHost: localhost', 'GET http://[/ HTTP/1.1\r\nHost: localhost', 'POST /tokenize HTTP/1.1\r\nHost: localhost\r\nExpect: tea', 'CONNECT a:1 HTTP/1.1\r\nHost: localhost'];
    const answers = await Promise.all(asked.map((head) => exchange(`${head}\r\nConnection: close\r\n\r\n`)));
    expect(answers.map(({ status, error }) => [status, error?.type])).toEqual([400, 400, 400, 400, 400, 417, 405].map((status) => [status, 'invalid_request_error']));
  }, 20_000);

  it('never in the midst of an answer: what follows a request and is none ends its stream', async () => {
    const socket = await beginsAndStops({});
    let heard = '';
    socket.on('data', (data) => (heard += data.toString()));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    socket.write('hello\r\n\r\n');
    await closed;
    expect(heard).not.toContain('HTTP/1.1');
    await runs(0);
  }, 20_000);

  it('to a body beyond the limit, whatever its length says', async () => {
    const { status, body: text } = await raw(serving, 'POST', '/v1/completions', body({ prompt: 'x'.repeat(34 << 20) }));
    expect([status, (JSON.parse(text) as { error: { message: string } }).error.message]).toEqual([413, 'The body is larger than 33554432 bytes.']);
  }, 30_000);
});

describe('nobody waits', () => {
  it('for a client that reads nothing', async () => {
    const slow = await Promise.all([beginsAndStops({}), beginsAndStops({ prompt: 'let b = ' })]);
    await runs(2);
    const started = Date.now();
    const answer = await raw(serving, 'POST', '/v1/completions', body({ max_tokens: 8 }));
    expect(answer.status).toBe(200);
    expect(Date.now() - started).toBeLessThan(10_000);
    for (const socket of slow) socket.destroy();
    await runs(0);
  }, 30_000);

  it('for clients that went, of which nothing is left', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const gone = await Promise.all(Array.from({ length: 6 }, (_, i) => beginsAndStops({ prompt: `let v${turn}${i} = `, temperature: i % 2 })));
      await runs(6);
      for (const socket of gone) socket.destroy();
    }
    await runs(0);
    const { body: text } = await raw(serving, 'POST', '/v1/completions', body({ max_tokens: 8 }));
    expect(JSON.parse(text)).toMatchObject({ usage: { completion_tokens: 8 } });
  }, 60_000);
});
