// One completion over HTTP, token by token, from any server that speaks OpenAI's way; how tokens came is known where the server is ours.
import * as l10n from '@vscode/l10n';
import OpenAI from 'openai';
import { z } from 'zod';
import type { PanelOptions, PanelToken } from '../../shared/panelProtocol';
import { withoutToken } from '../../shared/withoutToken';
import { Problem } from '../problem';
import type { Connection } from './connection';

export interface CompletionAsked extends PanelOptions {
  readonly prompt: string;
  /** Text after the gap, "" for none. */
  readonly suffix: string;
  readonly stop: readonly string[];
  /** The prompt will come again with another end. */
  readonly edited: boolean;
  /** Probabilities and how tokens came; costs a little. */
  readonly details: boolean;
}

export interface Piece {
  readonly text: string;
  readonly tokens: readonly PanelToken[];
}

export interface CompletionEnd {
  /** "length", "stop", ... */
  readonly reason: string;
  readonly usage: Usage | null;
}

const count = z.int().min(0);
const Told = z.object({ tokens: z.array(z.object({ text: z.string(), origin: z.enum(['prefill', 'classic', 'draft', 'bonus']), round: z.int(), logprob: z.number().nullable(), margin: z.number().nullable() })) });

const Details = z.object({
  speculation: z.object({ engaged: z.boolean(), reason: z.string(), rounds: count, drafted: count, accepted: count, accepted_per_round: z.array(count).optional() }),
  cached_tokens: count,
  capture: z.string().optional(),
});
const UsageShape = z.object({ prompt_tokens: count, completion_tokens: count, prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(), moire: z.array(Details).min(1).optional() });
export type Usage = z.infer<typeof UsageShape>;

const firstMs = 120_000;

export function clientOf({ url, token }: Pick<Connection, 'url' | 'token'>): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: token === '' ? 'none' : token, maxRetries: 0, timeout: firstMs });
}

/** Resolves when the answer has ended or `signal` has. Rejects with a Problem that says what the server said. */
export async function complete(connection: Connection, asked: CompletionAsked, onPiece: (piece: Piece) => void, signal: AbortSignal): Promise<CompletionEnd> {
  let end: CompletionEnd = { reason: '', usage: null };
  try {
    for await (const chunk of await chunks(connection, asked, signal)) {
      const usage = UsageShape.safeParse(chunk.usage);
      if (usage.success) end = { ...end, usage: usage.data };
      const [choice] = chunk.choices;
      if (choice === undefined) continue;
      end = { ...end, reason: choice.finish_reason ?? end.reason };
      const piece = pieceOf(choice);
      if (piece.text !== '' || piece.tokens.length > 0) onPiece(piece);
    }
  } catch (error) {
    if (!signal.aborted) throw problemOf(error, connection);
  }
  return signal.aborted ? { ...end, reason: 'stopped' } : end;
}

interface Chunk {
  readonly usage?: unknown;
  readonly choices: readonly Choice[];
}
type Choice = { readonly finish_reason: string | null } & ({ readonly text: string; readonly logprobs?: OpenAI.CompletionChoice.Logprobs | null } | OpenAI.ChatCompletionChunk.Choice);

async function chunks(connection: Connection, asked: CompletionAsked, signal: AbortSignal): Promise<AsyncIterable<Chunk>> {
  const { prompt, suffix, chat, maxTokens, temperature, stop } = asked;
  const client = clientOf(connection);
  const common = { model: connection.model, max_tokens: maxTokens, temperature, ...(stop.length === 0 ? {} : { stop: [...stop] }), stream: true, stream_options: { include_usage: true }, ...extras(connection, asked) } as const;
  if (chat || !connection.completions) return client.chat.completions.create({ ...common, messages: [{ role: 'user', content: prompt }], ...(asked.details ? { logprobs: true } : {}) }, { signal });
  return client.completions.create({ ...common, prompt, ...(suffix === '' ? {} : { suffix }), ...(asked.details ? { logprobs: connection.ours ? 0 : 1 } : {}) }, { signal });
}

/** What only Moire's server knows. Others may refuse a field that they do not know, so they get none. */
function extras({ ours }: Connection, { cache, speculation, edited, details }: CompletionAsked): object {
  if (!ours) return {};
  return { cache: !cache ? 'off' : edited ? 'edited' : 'on', speculation: speculation ? 'auto' : 'off', ...(details ? { return_tokens: true, return_rounds: true, return_capture: true } : {}) };
}

function pieceOf(choice: Choice): Piece {
  const text = 'text' in choice ? choice.text : (choice.delta.content ?? '');
  const told = Told.safeParse('moire' in choice ? choice.moire : undefined);
  if (told.success) return { text, tokens: told.data.tokens };
  const unknown = (token: string, logprob: number | null): PanelToken => ({ text: token, origin: 'unknown', round: -1, logprob, margin: null });
  const listed = 'text' in choice ? (choice.logprobs?.tokens ?? []).map((token, i) => unknown(token, choice.logprobs?.token_logprobs?.[i] ?? null)) : (choice.logprobs?.content ?? []).map(({ token, logprob }) => unknown(token, logprob));
  return { text, tokens: listed.length > 0 || text === '' ? listed : [unknown(text, null)] };
}

export function problemOf(error: unknown, { url, token }: Connection): Problem {
  const action = l10n.t("See the server's log");
  if (error instanceof OpenAI.APIConnectionError) return new Problem({ kind: 'environment', title: l10n.t('The server at {0} does not answer: {1}', url, error.cause instanceof Error ? error.cause.message : error.message), place: '', action: l10n.t('Start it again') }, { cause: error });
  if (!(error instanceof OpenAI.APIError)) return new Problem({ kind: 'engine', title: l10n.t('The answer of {0} cannot be read: {1}', url, error instanceof Error ? error.message : String(error)), place: '', action }, { cause: error });
  const said = z.object({ message: z.string() }).safeParse(error.error);
  return new Problem({ kind: error.status !== undefined && error.status < 500 ? 'input' : 'engine', title: withoutToken(said.success ? said.data.message : error.message, token), place: '', action: '' }, { cause: error });
}

/** Why an answer had no speculation, "" where it had or nothing is said. */
export function declinedOf({ usage }: CompletionEnd): string {
  const speculation = usage?.moire?.[0]?.speculation;
  return speculation === undefined || speculation.engaged ? '' : speculation.reason;
}

export const captureOf = ({ usage }: CompletionEnd): string | null => usage?.moire?.[0]?.capture ?? null;

