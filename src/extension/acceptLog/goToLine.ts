// From a finding or a round to its line: in an editor beside, or, where the file is too large for one, in an excerpt.
import * as vscode from 'vscode';
import { formatBytes, formatCount } from '../../shared/format';
import type { LogExcerpt, Slot } from '../../shared/logReaderProtocol';
import type { LogDocument } from './logDocument';

/** VS Code gives extensions no document above this size. */
const documentBytes = 50 * 1024 * 1024;

export const excerptScheme = 'moire-log-excerpt';

/** Texts of excerpts that are open, by the address of their document. */
export class ExcerptTexts implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  add(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
  }

  remove(uri: vscode.Uri): void {
    this.texts.delete(uri.toString());
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? vscode.l10n.t('These lines are no longer there. Choose the line again in the accept log.');
  }
}

export async function goToLine(document: LogDocument, slot: Slot, line: number, excerpts: ExcerptTexts): Promise<void> {
  const file = document.file(slot);
  if (file === undefined) return;
  const uri = vscode.Uri.file(file);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size <= documentBytes) return show(uri, line);
  const excerpt = await document.excerpt(slot, line);
  const place = addExcerpt(excerpts, uri, { ...excerpt, size, line });
  // The heading takes the first line.
  return show(place, line - excerpt.from + 2);
}

async function show(uri: vscode.Uri, line: number): Promise<void> {
  const at = new vscode.Range(line - 1, 0, line - 1, 0);
  await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, selection: at, preview: true });
}

function addExcerpt(excerpts: ExcerptTexts, file: vscode.Uri, { from, lines, size, line }: LogExcerpt & { readonly size: number; readonly line: number }): vscode.Uri {
  const name = file.path.split('/').at(-1) ?? '';
  const head = `# ${name} has ${formatBytes(size)}, more than an editor of VS Code takes. These are its lines ${formatCount(from)} to ${formatCount(from + lines.length - 1)}; line ${formatCount(line)} is selected.`;
  const uri = vscode.Uri.from({ scheme: excerptScheme, path: `/${name} lines ${from} to ${from + lines.length - 1}` });
  excerpts.add(uri, [head, ...lines].join('\n'));
  return uri;
}
