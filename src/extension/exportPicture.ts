// Export of what a report's page shows: the page makes the file's content, the user names the file, and it is written whole.
import path from 'node:path';
import * as vscode from 'vscode';
import { z } from 'zod';
import type { ExportedFile } from '../shared/exportedFile';
import { exportFormats, type ExportFormat } from '../shared/exportLimits';
import { reportExtension } from '../shared/report';
import { argumentOf } from './commandArgument';
import { writeInto } from './files';
import { tell } from './messages';
import { fileReason, Problem } from './problem';
import { fileName } from './watchFile';

const words: Readonly<Record<ExportFormat, { readonly label: string; readonly detail: string }>> = {
  png: { label: vscode.l10n.t('Picture as PNG'), detail: vscode.l10n.t('Pixels at twice the size, in the colours of the theme') },
  svg: { label: vscode.l10n.t('Picture as SVG'), detail: vscode.l10n.t('A drawing with its title, verdict, axes and legend') },
  csv: { label: vscode.l10n.t('Cells as CSV'), detail: vscode.l10n.t('A cell a line with every measure; tokens of a timeline') },
  md: { label: vscode.l10n.t('Record as Markdown'), detail: vscode.l10n.t('The whole report in words and tables') },
};

const Argument = z.object({ uri: z.unknown().optional(), format: z.enum(exportFormats), file: z.string().min(1).max(4096).optional() });

/** `file` left out: asked for. */
export interface ExportChoice {
  readonly format: ExportFormat;
  readonly file?: string | undefined;
}

/** What the command was given: nothing, the address of an open report, or the whole choice. Throws a Problem. */
export function exportArgument(argument: unknown): { readonly uri: vscode.Uri | undefined; readonly choice: ExportChoice | undefined } {
  if (argument === undefined || argument instanceof vscode.Uri) return { uri: argument, choice: undefined };
  const { uri, format, file } = argumentOf(Argument, argument, vscode.l10n.t('The export that the command was given cannot be done'));
  return { uri: uri instanceof vscode.Uri ? uri : undefined, choice: { format, file } };
}

export async function chooseFormat(): Promise<ExportFormat | undefined> {
  const items = exportFormats.map((format) => ({ ...words[format], format }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export Picture') }))?.format;
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** What is written. Throws a Problem for what the page may not have written, such as a PNG that is none. */
export function bytesOf({ format, content }: Pick<ExportedFile, 'format' | 'content'>): Buffer {
  if (format !== 'png') return Buffer.from(content, 'utf8');
  const bytes = Buffer.from(content, 'base64');
  if (!bytes.subarray(0, pngStart.length).equals(pngStart)) throw new Problem({ kind: 'engine', title: vscode.l10n.t('The page gave no PNG of the picture'), place: '', action: vscode.l10n.t('Export it as SVG') });
  return bytes;
}

/** "run.width-8-draw-1.svg": a name that every file system takes, whatever the report calls its run. */
export function suggestedName(report: string, { format, name }: Pick<ExportedFile, 'format' | 'name'>): string {
  const stem = report.endsWith(reportExtension) ? report.slice(0, -reportExtension.length) : report.replace(/\.\w+$/, '');
  const part = format === 'md' ? '' : name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60);
  return [stem, ...(part === '' ? [] : [part]), format].join('.');
}

async function askFor(report: vscode.Uri, exported: ExportedFile): Promise<vscode.Uri | undefined> {
  const { format } = exported;
  return vscode.window.showSaveDialog({ title: words[format].label, defaultUri: vscode.Uri.joinPath(report, '..', suggestedName(fileName(report), exported)), filters: { [format.toUpperCase()]: [format] } });
}

async function write(target: vscode.Uri, bytes: Buffer): Promise<void> {
  try {
    if (target.scheme === 'file') await writeInto(target.fsPath, bytes);
    else await vscode.workspace.fs.writeFile(target, bytes);
  } catch (error) {
    throw new Problem({ kind: 'environment', title: vscode.l10n.t('The export cannot be written: {0}', fileReason(error)), place: target.fsPath, action: vscode.l10n.t('Choose another file') }, { cause: error });
  }
}

/** The file, undefined when the user gives up. `file` left out: asked for. Throws a Problem. */
export async function writeExport(report: vscode.Uri, exported: ExportedFile, file: string | undefined, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const bytes = bytesOf(exported);
  const target = file === undefined ? await askFor(report, exported) : vscode.Uri.file(path.resolve(file));
  if (target === undefined) return undefined;
  await write(target, bytes);
  tell(log, vscode.l10n.t('Written: {0}', target.fsPath), [{ label: vscode.l10n.t('Open'), run: () => vscode.commands.executeCommand('vscode.open', target) }]);
  return target.fsPath;
}
