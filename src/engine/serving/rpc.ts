// A served model over the IPC channel of the engine process.
import process from 'node:process';
import type { CancellationToken, MessageConnection } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import { firstIssue } from '../../shared/issues';
import { serving, type Numbered } from '../../shared/servingProtocol';
import { badInput, Problem } from '../problem';
import { answer, signalOf } from '../rpcAnswer';
import type { ChatMessage, Engine } from '../types';
import { ServeOptions } from './options';
import { GenerateRequest, type Delta, type Emitted, type Outcome } from './request';
import { ServedModel, type ServedFacts, type ServedState } from './service';

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { place, message } = firstIssue(parsed.error);
  throw badInput(message, place, '');
}

/** Gives what ends it: requests that run are told as cancelled, and the last rounds go to the capture file. */
export function registerServing(connection: MessageConnection, engine: (library: string) => Promise<Engine>): () => Promise<void> {
  let served: ServedModel | null = null;
  const model = (): ServedModel => {
    if (served === null) throw new Problem({ kind: 'environment', title: 'No model is served yet', place: '', action: 'Try again in a moment' });
    return served;
  };
  const start = async ({ library, options }: { library: string; options: unknown }, token: CancellationToken): Promise<ServedFacts> => {
    served = await ServedModel.start(await engine(library), checked(ServeOptions, options), { signal: signalOf(token), onWarning: (sentence) => void process.stderr.write(`${sentence}\n`) });
    return served.facts;
  };
  const generate = async ({ request, value }: Numbered<unknown>, token: CancellationToken): Promise<Outcome> =>
    model().generate(checked(GenerateRequest, value), {
      signal: signalOf(token),
      onDelta: (delta) => void connection.sendNotification(serving.delta, { request, value: delta } satisfies Numbered<Delta>),
      onPrompt: (tokens) => void connection.sendNotification(serving.promptTokens, { request, value: tokens } satisfies Numbered<readonly Emitted[]>),
    });
  connection.onRequest(serving.start, (parameters: { library: string; options: unknown }, token: CancellationToken) => answer(start(parameters, token)));
  connection.onRequest(serving.generate, (parameters: Numbered<unknown>, token: CancellationToken) => answer(generate(parameters, token)));
  connection.onRequest(serving.state, () => answer(wrapped((): ServedState => model().state())));
  connection.onRequest(serving.tokenize, ({ text, special }: { text: string; special: boolean }) => answer(wrapped(() => model().tokenize(text, special))));
  connection.onRequest(serving.detokenize, ({ ids, skipSpecial }: { ids: readonly number[]; skipSpecial: boolean }) => answer(wrapped(() => model().detokenize(ids, skipSpecial))));
  connection.onRequest(serving.chat, ({ messages, variables }: { messages: readonly ChatMessage[]; variables: Record<string, unknown> }) => answer(wrapped(() => model().chat(messages, variables))));
  return async () => served?.close();
}

/** What throws at once is a rejection like any other. */
const wrapped = async <T>(work: () => T | Promise<T>): Promise<T> => work();
