// Replay and rewind audit of a request of an open log: the palette's commands, with what the log says filled in.
import path from 'node:path';
import * as vscode from 'vscode';
import { isModelFolder } from '../modelFolders';
import { localFolder } from '../workspaceFolder';
import type { LogDocument } from './logDocument';

export async function probeOfLog(document: LogDocument, kind: 'replay' | 'rewind', request: number): Promise<void> {
  const file = document.uri.fsPath;
  const model = await modelOf(document);
  const detail = await document.ask({ ask: 'request', slot: 'a', request });
  const hasPrompt = 'usable' in detail && !detail.usable.missing.includes('the prompt ids');
  const ask = {
    accepts: { type: 'log', file, request: String(request) },
    ...(model === undefined ? {} : { model }),
    // With the default prompt a replay takes that of the log.
    ...(hasPrompt ? { prompt: { type: 'default' } } : {}),
  };
  await vscode.commands.executeCommand(`moire.${kind}`, { ask });
}

/** The model that a capture of Moire names, if its folder is there: as it stands, or below the workspace or a folder that holds the log. */
async function modelOf(document: LogDocument): Promise<string | undefined> {
  const named = document.state('a')?.facts['model'];
  if (typeof named !== 'string' || named === '' || named.length > 4096) return undefined;
  const folder = named.replace(/ blake3:[0-9a-f]+$/, '');
  const above = [localFolder(), ...ancestors(path.dirname(document.uri.fsPath))].filter((one) => one !== undefined);
  for (const candidate of new Set(above.map((one) => path.resolve(one, folder)))) if (await isModelFolder(candidate)) return candidate;
  return undefined;
}

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
