// From a finding or a round to its line: in an editor beside, or, where the file is too large for one, in an excerpt.
import * as vscode from 'vscode';
import { formatBytes, formatCount } from '../../shared/format';
import type { LogExcerpt, Slot } from '../../shared/logReaderProtocol';
import type { TextPages } from '../textPages';
import type { LogDocument } from './logDocument';

/** VS Code gives extensions no document above this size. */
const documentBytes = 50 * 1024 * 1024;

export async function goToLine(document: LogDocument, slot: Slot, line: number, pages: TextPages): Promise<void> {
  const file = document.file(slot);
  if (file === undefined) return;
  const uri = vscode.Uri.file(file);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size <= documentBytes) return show(uri, line);
  const excerpt = await document.excerpt(slot, line);
  const place = addExcerpt(pages, uri, { ...excerpt, size, line });
  // The heading takes the first line.
  return show(place, line - excerpt.from + 2);
}

async function show(uri: vscode.Uri, line: number): Promise<void> {
  const at = new vscode.Range(line - 1, 0, line - 1, 0);
  await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, selection: at, preview: true });
}

function addExcerpt(pages: TextPages, file: vscode.Uri, { from, lines, size, line }: LogExcerpt & { readonly size: number; readonly line: number }): vscode.Uri {
  const name = file.path.split('/').at(-1) ?? '';
  const head = `# ${name} has ${formatBytes(size)}, more than an editor of VS Code takes. These are its lines ${formatCount(from)} to ${formatCount(from + lines.length - 1)}; line ${formatCount(line)} is selected.`;
  return pages.add(`${name} lines ${from} to ${from + lines.length - 1}`, [head, ...lines].join('\n'));
}
