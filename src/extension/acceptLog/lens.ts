// The quick look at a text that is an accept log: a line above its first known line, and one above each request. A part of what activation loads, so it knows no library.
import * as vscode from 'vscode';
import { mayBeAcceptLog } from '../../shared/knownLines';
import type { QuickLook, QuickLookRequest } from '../../shared/logReaderProtocol';

/** Languages in which VS Code opens logs. */
const languages = ['plaintext', 'log', 'json', 'jsonl', 'tsv'] as const;

/** Characters of the beginning that are looked at. */
const lookedAt = 256 * 1024;

type Look = (request: QuickLookRequest) => Promise<QuickLook>;

export function registerLens(look: Look): vscode.Disposable {
  const provider = new LogLens(look);
  return vscode.Disposable.from(
    vscode.languages.registerCodeLensProvider(languages.map((language) => ({ language, scheme: 'file' })), provider),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('moire.logs.quickLook') && provider.changed.fire()),
    provider.changed,
  );
}

class LogLens implements vscode.CodeLensProvider {
  readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly look: Look) {}

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (vscode.workspace.getConfiguration('moire', document).get('logs.quickLook') !== true) return [];
    const { text, whole } = beginning(document);
    if (!mayBeAcceptLog(text)) return [];
    const found = await this.look({ text, whole });
    return found === null ? [] : lensesOf(document.uri, found);
  }
}

function beginning(document: vscode.TextDocument): QuickLookRequest {
  const end = document.positionAt(lookedAt);
  const text = document.getText(new vscode.Range(new vscode.Position(0, 0), end));
  return { text, whole: document.positionAt(lookedAt + 1).isEqual(end) };
}

function lensesOf(uri: vscode.Uri, { engine, grade, line, requests }: NonNullable<QuickLook>): vscode.CodeLens[] {
  const lens = (at: number, title: string, ...rest: readonly number[]): vscode.CodeLens =>
    new vscode.CodeLens(new vscode.Range(at - 1, 0, at - 1, 0), { title, command: 'moire.inspectAcceptLog', arguments: [uri, ...rest] });
  const head = lens(line, grade === null ? vscode.l10n.t('Moire: accept log of {0} · Open in the Accept Log editor', engine) : vscode.l10n.t('Moire: accept log of {0}, grade {1} · Open in the Accept Log editor', engine, grade));
  return [head, ...requests.map(({ ordinal, name, line: at, rounds }) => lens(at, `Request ${ordinal}${name === null ? '' : ` · ${name}`}${rounds === null ? '' : ` · ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`}`, ordinal))];
}
