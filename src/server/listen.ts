// Opens the port: loopback unless told otherwise, with limits on slow and large senders.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Problem } from '../engine/problem';
import { ApiError } from './apiError';
import { freePortAfter, ownerOf } from './portOwner';
import { appOf, type AppOptions } from './app';

export interface ListenOptions extends AppOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const limits = { headersMs: 10_000, requestMs: 60_000, headerBytes: 16_384, connections: 512 } as const;

export async function listen(options: ListenOptions): Promise<Listening> {
  const answer = getRequestListener(appOf(options).fetch);
  const listener: RequestListener = (request, response) => void answer(request, response);
  const server = createServer({ maxHeaderSize: limits.headerBytes, headersTimeout: limits.headersMs, requestTimeout: limits.requestMs, connectionsCheckingInterval: 1000 }, listener);
  server.maxConnections = limits.connections;
  server.on('clientError', refuse);
  await opened(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What is no request of HTTP, or comes too slowly, has an answer in the shape of all others. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason, message] = refusals[error.code ?? ''] ?? [400, 'Bad Request', 'This is not a request of HTTP/1.1.'];
  const body = JSON.stringify(new ApiError(status, message).body);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

const refusals: Readonly<Record<string, readonly [ContentfulStatusCode, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', `The headers are larger than ${limits.headerBytes} bytes.`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not come in time.'],
};

function opened(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => void portProblem(error, host, port).then(reject));
    server.listen(port, host, () => resolve());
  });
}

async function portProblem(error: NodeJS.ErrnoException, host: string, port: number): Promise<Problem> {
  const place = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    const [owner, next] = await Promise.all([ownerOf(host, port), freePortAfter(host, port)]);
    return new Problem({ kind: 'environment', title: `The port ${port} is taken by ${owner}`, place, action: next === 0 ? 'Use port 0 for any free one' : `Use port ${next}, or 0 for any free one` });
  }
  if (error.code === 'EACCES') return new Problem({ kind: 'environment', title: `The port ${port} may not be opened by this user`, place, action: 'Use a port from 1024 on' });
  return new Problem({ kind: 'environment', title: `The address cannot be opened: ${error.message}`, place, action: 'Use the address 127.0.0.1' });
}
