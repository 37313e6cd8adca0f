// Ghost text: asks when typing pauses, drops what is no longer wanted, and goes on from the state of the last request.
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { PanelRates } from '../../shared/panelProtocol';
import { asProblem } from '../problem';
import type { InlineSettings } from '../settings';
import { complete } from './completion';
import { around, offered, restOf, stopsFor, windowOf, type Around, type Earlier } from './inlineText';
import { Rates } from './rates';
import type { Serving } from './serving';

export interface InlineParts {
  readonly serving: Serving;
  readonly settings: () => InlineSettings;
  readonly log: vscode.LogOutputChannel;
  readonly onRates: (rates: PanelRates) => void;
}

function textAround(document: vscode.TextDocument, offset: number): Around {
  const { from, to } = windowOf(offset);
  return around(document.getText(new vscode.Range(document.positionAt(from), document.positionAt(to))), offset - from, from === 0);
}

export class Inline implements vscode.InlineCompletionItemProvider {
  private earlier: Earlier | null = null;
  private problem = '';

  constructor(private readonly its: InlineParts) {}

  isOn(language: string): boolean {
    const { languages } = this.its.settings();
    return languages.includes('*') || languages.includes(language);
  }

  async provideInlineCompletionItems(document: vscode.TextDocument, position: vscode.Position, context: vscode.InlineCompletionContext, token: vscode.CancellationToken): Promise<vscode.InlineCompletionItem[]> {
    if (!this.isOn(document.languageId) || this.its.serving.connection === null) return [];
    const text = textAround(document, document.offsetAt(position));
    const key = document.uri.toString();
    const rest = restOf(this.earlier, key, text);
    if (rest === null) {
      if (text.prefix.trim() === '') return [];
      const answer = await this.ask(text, context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke ? 0 : this.its.settings().delayMs, token);
      if (answer === '' || token.isCancellationRequested) return [];
      this.earlier = { document: key, ...text, text: answer };
    }
    const shown = rest ?? this.earlier?.text ?? '';
    return [new vscode.InlineCompletionItem(shown, new vscode.Range(position, position))];
  }

  /** "" when there is nothing to offer; what failed is told once, in the log. */
  private async ask(text: Around, delayMs: number, token: vscode.CancellationToken): Promise<string> {
    const { serving, settings, onRates, log } = this.its;
    const { longestMs, maxTokens } = settings();
    const gone = new AbortController();
    const registration = token.onCancellationRequested(() => gone.abort());
    try {
      await pause(delayMs, undefined, { signal: gone.signal });
      const { connection } = serving;
      if (connection === null) return '';
      const rates = new Rates(connection.width);
      let answer = '';
      const asked = { prompt: text.prefix, suffix: connection.fillInMiddle && text.suffix.trim() !== '' ? text.suffix : '', stop: stopsFor(text), maxTokens, temperature: 0, chat: false, speculation: true, cache: true, edited: true, details: false };
      const end = await complete(connection, asked, (piece) => {
        rates.add(piece);
        answer += piece.text;
      }, AbortSignal.any([gone.signal, AbortSignal.timeout(longestMs)]));
      if (!gone.signal.aborted) onRates(rates.atEnd(end.usage));
      return gone.signal.aborted ? '' : offered(answer, text);
    } catch (error) {
      if (!gone.signal.aborted) this.failed(asProblem(error).sentence, log);
      return '';
    } finally {
      registration.dispose();
    }
  }

  private failed(sentence: string, log: vscode.LogOutputChannel): void {
    if (sentence !== this.problem) log.warn(`ghost text: ${sentence}`);
    this.problem = sentence;
  }
}
