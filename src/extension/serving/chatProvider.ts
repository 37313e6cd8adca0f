// The served model for other extensions, as a language model of VS Code.
import * as vscode from 'vscode';
import { problemOf, clientOf } from './completion';
import type { Connection } from './connection';
import { countTokens } from './countTokens';
import type { Serving } from './serving';

const output = (context: number): number => Math.max(1, Math.floor(context / 2));

export class ChatProvider implements vscode.LanguageModelChatProvider {
  constructor(private readonly serving: Serving) {}

  async provideLanguageModelChatInformation({ silent }: vscode.PrepareLanguageModelChatModelOptions, _token?: vscode.CancellationToken): Promise<vscode.LanguageModelChatInformation[]> {
    if (this.serving.connection === null && !silent) await vscode.commands.executeCommand('moire.startServedRun');
    const { connection } = this.serving;
    if (connection?.chat !== true) return [];
    const context = connection.context === 0 ? 4096 : connection.context;
    return [
      {
        id: connection.model,
        name: connection.model,
        family: connection.model,
        version: '1',
        detail: connection.kind === 'started' ? vscode.l10n.t('served by Moire') : connection.url,
        tooltip: `${connection.model} at ${connection.url}`,
        maxInputTokens: context - output(context),
        maxOutputTokens: output(context),
        capabilities: {},
      },
    ];
  }

  async provideLanguageModelChatResponse(model: vscode.LanguageModelChatInformation, messages: readonly vscode.LanguageModelChatRequestMessage[], options: vscode.ProvideLanguageModelChatResponseOptions, progress: vscode.Progress<vscode.LanguageModelResponsePart>, token: vscode.CancellationToken): Promise<void> {
    const connection = this.connectionOf(model);
    const gone = new AbortController();
    const registration = token.onCancellationRequested(() => gone.abort());
    try {
      const stream = await clientOf(connection).chat.completions.create({ ...numbers(options.modelOptions), model: model.id, messages: messages.map(messageOf), stream: true }, { signal: gone.signal });
      for await (const { choices } of stream) {
        const text = choices[0]?.delta.content ?? '';
        if (text !== '') progress.report(new vscode.LanguageModelTextPart(text));
      }
    } catch (error) {
      if (!gone.signal.aborted) throw new Error(problemOf(error, connection).sentence, { cause: error });
    } finally {
      registration.dispose();
    }
  }

  async provideTokenCount(model: vscode.LanguageModelChatInformation, text: string | vscode.LanguageModelChatRequestMessage): Promise<number> {
    return countTokens(this.connectionOf(model), typeof text === 'string' ? text : textOf(text));
  }

  private connectionOf({ id }: vscode.LanguageModelChatInformation): Connection {
    const { connection } = this.serving;
    if (connection?.model !== id) throw vscode.LanguageModelError.NotFound(vscode.l10n.t('{0} is no longer served. Run "Moire: Start Served Run".', id));
    return connection;
  }
}

/** Parts that are no text, such as images and tool calls, are left out: the model reads text. */
const textOf = ({ content }: vscode.LanguageModelChatRequestMessage): string => content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');

const messageOf = (message: vscode.LanguageModelChatRequestMessage): { role: 'assistant' | 'user'; content: string } => ({
  role: message.role === vscode.LanguageModelChatMessageRole.Assistant ? 'assistant' : 'user',
  content: textOf(message),
});

const taken = ['max_tokens', 'temperature', 'top_p', 'seed'] as const;

/** Options of the other extension that are numbers; anything else is not passed on. */
function numbers(options: Readonly<Record<string, unknown>> | undefined): Record<string, number> {
  return Object.fromEntries(taken.flatMap((name) => (typeof options?.[name] === 'number' ? [[name, options[name]]] : [])));
}
