// Folders that look like checkpoints: config.json and safetensors side by side.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';

const searched = 200;

export async function isModelFolder(folder: string): Promise<boolean> {
  const names = await namesIn(folder);
  return names.includes('config.json') && names.some((name) => name.endsWith('.safetensors'));
}

/** Why a folder is no checkpoint, as one sentence; "" if it looks like one. */
export async function faultOfFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return `The folder ${folder} does not exist.`;
  if (!found.isDirectory()) return `${folder} is not a folder; choose the folder that holds config.json and the .safetensors files.`;
  return (await isModelFolder(folder)) ? '' : `The folder ${folder} holds no checkpoint: config.json and .safetensors files belong side by side.`;
}

/** Checkpoints in the open folders, sorted by path. */
export async function workspaceModels(): Promise<string[]> {
  const configs = await vscode.workspace.findFiles('**/config.json', '**/{node_modules,.git}/**', searched);
  return onlyModels(configs.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => path.dirname(fsPath)));
}

/** Checkpoints that ship with the extension. */
export async function sampleModels(extensionPath: string): Promise<string[]> {
  const samples = path.join(extensionPath, 'samples');
  const names = await namesIn(samples);
  return onlyModels(names.map((name) => path.join(samples, name)));
}

export async function onlyModels(folders: readonly string[]): Promise<string[]> {
  const kept = await Promise.all(folders.map(async (folder) => ((await isModelFolder(folder)) ? folder : '')));
  return kept.filter((folder) => folder !== '').sort();
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
