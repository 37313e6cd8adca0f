// Export of an accept log: the normalised capture as JSON, or its rounds as a table.
import path from 'node:path';
import * as vscode from 'vscode';
import { z } from 'zod';
import { ExportFormat, exportFormats } from '../../shared/logReaderProtocol';
import { tell } from '../messages';
import { argumentOf } from '../commandArgument';
import type { LogDocument } from './logDocument';

/** `file` left out: asked for. */
export interface ExportChoice {
  readonly format: ExportFormat;
  readonly file?: string | undefined;
}

const Argument = z.object({ uri: z.unknown().optional(), format: ExportFormat, file: z.string().min(1).max(4096).optional() });

/** What the command was given: nothing, the address of an open log, or the whole choice. Throws a Problem. */
export function exportArgument(argument: unknown): { readonly uri: vscode.Uri | undefined; readonly choice: ExportChoice | undefined } {
  if (argument === undefined || argument instanceof vscode.Uri) return { uri: argument, choice: undefined };
  const { uri, format, file } = argumentOf(Argument, argument, vscode.l10n.t('The export that the command was given cannot be done'));
  return { uri: uri instanceof vscode.Uri ? uri : undefined, choice: { format, file } };
}

const words: Readonly<Record<ExportFormat, { readonly label: string; readonly detail: string }>> = {
  json: { label: vscode.l10n.t('Capture as JSON'), detail: vscode.l10n.t('All that the log says, in the same names whichever engine wrote it') },
  tsv: { label: vscode.l10n.t('Rounds as a table'), detail: vscode.l10n.t('A round a line, tab separated: counts and token ids') },
};

export async function chooseFormat(): Promise<ExportFormat | undefined> {
  const items = exportFormats.map((format) => ({ ...words[format], format }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export Accept Log') }))?.format;
}

/** The file, undefined when the user gives up. */
export async function exportLog(document: LogDocument, { format, file }: ExportChoice, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const target = file ?? (await askFor(document.uri, format));
  if (target === undefined) return undefined;
  await document.export({ format, file: target });
  tell(log, vscode.l10n.t('Written: {0}', target), [{ label: vscode.l10n.t('Open'), run: () => vscode.commands.executeCommand('vscode.open', vscode.Uri.file(target)) }]);
  return target;
}

async function askFor(source: vscode.Uri, format: ExportFormat): Promise<string | undefined> {
  const name = `${path.basename(source.fsPath).replace(/(\.moire-capture)?\.\w+$/, '')}.${format === 'json' ? 'capture.json' : 'rounds.tsv'}`;
  const chosen = await vscode.window.showSaveDialog({ title: words[format].label, defaultUri: vscode.Uri.joinPath(source, '..', name), filters: { [format.toUpperCase()]: [format] } });
  return chosen?.fsPath;
}
