// Folders that look like checkpoints: config.json and safetensors side by side.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { configOf, isDrafterConfig } from './modelConfig';

const searched = 200;

export async function isModelFolder(folder: string): Promise<boolean> {
  return (await isCheckpoint(folder)) && !(await isDrafter(folder));
}

async function isCheckpoint(folder: string): Promise<boolean> {
  const names = await namesIn(folder);
  return names.includes('config.json') && names.some((name) => name.endsWith('.safetensors'));
}

/** A checkpoint that cannot run by itself: it proposes tokens for another one. */
async function isDrafter(folder: string): Promise<boolean> {
  return isDrafterConfig(await configOf(folder));
}

/** Why a folder is no checkpoint, as one sentence; "" if it looks like one. */
export async function faultOfFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return vscode.l10n.t('The folder {0} does not exist.', folder);
  if (!found.isDirectory()) return vscode.l10n.t('{0} is not a folder; choose the folder that holds config.json and the .safetensors files.', folder);
  if (!(await isCheckpoint(folder))) return vscode.l10n.t('The folder {0} holds no checkpoint: config.json and .safetensors files belong side by side.', folder);
  return (await isDrafter(folder)) ? vscode.l10n.t('The folder {0} holds a drafter, which runs only beside its target; choose the folder of the target.', folder) : '';
}

/** Checkpoints in the open folders, sorted by path. */
export async function workspaceModels(): Promise<string[]> {
  return onlyModels(await configFolders());
}

/** Drafters in the open folders and among the samples. */
export async function knownDrafters(extensionPath: string): Promise<string[]> {
  const folders = [...(await configFolders()), ...(await sampleFolders(extensionPath))];
  return kept([...new Set(folders)], async (folder) => (await isCheckpoint(folder)) && (await isDrafter(folder)));
}

async function configFolders(): Promise<string[]> {
  const configs = await vscode.workspace.findFiles('**/config.json', '**/{node_modules,.git}/**', searched);
  return configs.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => path.dirname(fsPath));
}

async function sampleFolders(extensionPath: string): Promise<string[]> {
  const samples = path.join(extensionPath, 'samples');
  return (await namesIn(samples)).map((name) => path.join(samples, name));
}

/** Checkpoints that ship with the extension. */
export async function sampleModels(extensionPath: string): Promise<string[]> {
  return onlyModels(await sampleFolders(extensionPath));
}

export async function onlyModels(folders: readonly string[]): Promise<string[]> {
  return kept(folders, isModelFolder);
}

async function kept(folders: readonly string[], fits: (folder: string) => Promise<boolean>): Promise<string[]> {
  const checked = await Promise.all(folders.map(async (folder) => ((await fits(folder)) ? folder : '')));
  return checked.filter((folder) => folder !== '').sort();
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
