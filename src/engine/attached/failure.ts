// Why a server could not be asked, in words.
import { tokenPlace } from '../../shared/engineProtocol';
import { cancelled, Problem } from '../problem';
import { parseBounded } from '../../shared/boundedJson';
import { jsonLimits, quoteChars } from './limits';

const environment = (title: string, place: string, action: string, cause?: unknown): Problem => new Problem({ kind: 'environment', title, place, action }, { cause });

/** One line of a foreign text, as long as a message may be. */
export function quoted(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > quoteChars ? `${line.slice(0, quoteChars)}…` : line;
}

const reasons: Readonly<Record<string, readonly [reason: string, action: string]>> = {
  ECONNREFUSED: ['nothing listens there', 'Start the server, or check host and port'],
  ENOTFOUND: ['there is no host of that name', 'Check the host name'],
  EAI_AGAIN: ['the host name cannot be looked up now', 'Check the host name and the network'],
  ECONNRESET: ['it closed the connection', 'See the log of the server'],
  EPIPE: ['it closed the connection', 'See the log of the server'],
  UND_ERR_SOCKET: ['it closed the connection before its answer was whole', 'See the log of the server'],
  ETIMEDOUT: ['it does not answer', 'Check host, port and network'],
  UND_ERR_CONNECT_TIMEOUT: ['it does not answer', 'Check host, port and network'],
  UND_ERR_HEADERS_TIMEOUT: ['it sent no headers within five minutes', 'Ask for fewer tokens, or see what the server does'],
  UND_ERR_BODY_TIMEOUT: ['it sent nothing for five minutes', 'Ask for fewer tokens, or see what the server does'],
  UND_ERR_HEADERS_OVERFLOW: ['its headers are too large', 'Check that this is the server that was meant'],
  EHOSTUNREACH: ['there is no way to that host', 'Check the address and the network'],
  ENETUNREACH: ['there is no way to that network', 'Check the address and the network'],
  HPE_INVALID_CONSTANT: ['it does not speak HTTP', 'Check the port, and http:// against https://'],
  EPROTO: ['it does not speak TLS', 'Use http:// for a server without TLS'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'Use http:// for a server without TLS'],
};

function codeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    // A host with several addresses fails once for each.
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return '';
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Anything that ends a request, as a Problem. `where`: the address. */
export function requestProblem(error: unknown, where: string, signal: AbortSignal | undefined): Problem {
  if (signal?.aborted === true) return cancelled();
  if (error instanceof Problem) return error;
  const code = codeOf(error);
  const [reason, action] = reasons[code] ?? (code.startsWith('HPE_') ? reasons['HPE_INVALID_CONSTANT'] : undefined) ?? [quoted(messageOf(error)), 'Check the address, and the log of the server'];
  return environment(`The server cannot be reached: ${reason}`, where, action, error);
}

export const tooLate = (what: string, ms: number, where: string): Problem => environment(`The server ${what} within ${Math.round(ms / 1000)} s`, where, 'See what the server does, or ask for fewer tokens');

export const tooLarge = (bytes: number, where: string): Problem => environment(`The answer of the server is larger than ${bytes} bytes and is not read to its end`, where, 'Check that this is the server that was meant');

export const redirected = (status: number, to: string, where: string): Problem =>
  environment(`The server answers with a redirect (${status}${to === '' ? '' : ` to ${quoted(to)}`}), which is not followed, since prompt and token would go to another place`, where, 'Give the address that is meant');

/** `what`: what was expected. */
export const wrongShape = (what: string, fault: string, where: string): Problem => environment(`The server's answer is not ${what}: ${quoted(fault)}`, where, 'Check that the address is that of an OpenAI-compatible server');

/** The server's own message: {"error": {"message"}}, {"error"}, {"message"}, {"detail"} or plain text. */
export function saidBy(body: string): string {
  const parsed = parseBounded(body, jsonLimits);
  if (!parsed.ok) return /^\s*</.test(body) ? '' : quoted(body);
  const { value } = parsed;
  for (const key of ['error', 'message', 'detail']) {
    const found: unknown = typeof value === 'object' && value !== null && key in value ? (value as Record<string, unknown>)[key] : undefined;
    if (typeof found === 'string') return quoted(found);
    if (typeof found === 'object' && found !== null) return saidBy(JSON.stringify(found));
  }
  return '';
}

/** Of an answer that is no success. */
export function statusProblem(status: number, body: string, where: string): Problem {
  const said = saidBy(body);
  const more = said === '' ? '' : `: ${said}`;
  if (status === 401 || status === 403) return new Problem({ kind: 'input', title: `The server refuses the token, or wants one (${status})${more}`, place: tokenPlace, action: 'Give the token of this server' });
  if (status === 404) return new Problem({ kind: 'input', title: `The server does not have what was asked for (404)${more}`, place: where, action: 'Check the address and the name of the model' });
  if (status === 429 || status === 503) return environment(`The server is busy or not ready (${status})${more}`, where, 'Try again in a moment');
  return new Problem({ kind: status < 500 ? 'input' : 'environment', title: `The server answers with status ${status}${more}`, place: where, action: status < 500 ? 'See what the server takes' : 'See the log of the server' });
}
