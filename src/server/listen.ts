// The port: loopback unless told otherwise, with limits on slow and large senders. It is opened before there is anything to answer with; what is asked until then waits.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Problem } from '../engine/problem';
import { ApiError } from './apiError';
import { freePortAfter, ownerOf } from './portOwner';

export interface Address {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

const limits = { headersMs: 10_000, requestMs: 60_000, headerBytes: 16_384, connections: 512 } as const;

export class Port {
  private answerWith: (answer: RequestListener) => void = () => undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Throws a Problem for an address that cannot be opened. */
  static async open(address: Address): Promise<Port> {
    const answering = new Answering();
    const server = createServer({ maxHeaderSize: limits.headerBytes, headersTimeout: limits.headersMs, requestTimeout: limits.requestMs, connectionsCheckingInterval: 1000, requireHostHeader: false });
    server.maxConnections = limits.connections;
    await opened(server, address);
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    const port = new Port(server, `http://${host}:${(server.address() as AddressInfo).port}`);
    const answer = new Promise<RequestListener>((resolve) => (port.answerWith = resolve));
    server.on('request', (request, response) => {
      answering.begin(request, response);
      void answer.then((listener) => listener(request, response));
    });
    server.on('checkExpectation', (_, response: ServerResponse) => refuseExpectation(response));
    server.on('connect', (_, socket: Duplex) => refuse(socket, [405, 'Method Not Allowed', 'This server is no proxy.']));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      // Behind the beginning of an answer, another one would be read as its continuation.
      if (error.code === 'ECONNRESET' || !socket.writable || answering.hasBegun(socket)) socket.destroy();
      else refuse(socket, refusals[error.code ?? ''] ?? [400, 'Bad Request', 'This is not a request of HTTP/1.1.']);
    });
    return port;
  }

  serve(listener: RequestListener): void {
    this.answerWith(listener);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

/** Which connections are in the midst of an answer. */
class Answering {
  private readonly last = new WeakMap<Duplex, ServerResponse>();

  begin({ socket }: IncomingMessage & { readonly socket: Socket }, response: ServerResponse): void {
    this.last.set(socket, response);
  }

  hasBegun(socket: Duplex): boolean {
    const response = this.last.get(socket);
    return response?.headersSent === true && !response.writableFinished;
  }
}

function refuseExpectation(response: ServerResponse): void {
  const body = JSON.stringify(new ApiError(417, 'Of expectations this server knows 100-continue alone.').body);
  response.writeHead(417, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), Connection: 'close' }).end(body);
}

type Refusal = readonly [status: ContentfulStatusCode, reason: string, message: string];

/** What is no request that can be answered, or comes too slowly, has an answer in the shape of all others. */
function refuse(socket: Duplex, [status, reason, message]: Refusal): void {
  const body = JSON.stringify(new ApiError(status, message).body);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', `The headers are larger than ${limits.headerBytes} bytes.`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not come in time.'],
};

function opened(server: Server, { host, port }: Address): Promise<void> {
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
