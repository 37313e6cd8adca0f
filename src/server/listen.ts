// Opens the port: loopback unless told otherwise, with limits on slow and large senders.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Problem } from '../engine/problem';
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

function opened(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portProblem(error, host, port)));
    server.listen(port, host, () => resolve());
  });
}

function portProblem(error: NodeJS.ErrnoException, host: string, port: number): Problem {
  const place = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') return new Problem({ kind: 'environment', title: `The port ${port} is taken by another process`, place, action: `Use --port ${port + 1}, or --port 0 for any free one` });
  if (error.code === 'EACCES') return new Problem({ kind: 'environment', title: `The port ${port} may not be opened by this user`, place, action: 'Use a port from 1024 on' });
  return new Problem({ kind: 'environment', title: `The address cannot be opened: ${error.message}`, place, action: 'Use --host 127.0.0.1' });
}
