// A file that is written whole or not at all.
import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import * as vscode from 'vscode';

/** Rejects with the error of the file system; then nothing was left behind at `file`, and an older file there is untouched. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = vscode.Uri.file(`${file}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await vscode.workspace.fs.writeFile(temporary, Buffer.from(text));
    await vscode.workspace.fs.rename(temporary, vscode.Uri.file(file), { overwrite: true });
  } catch (error) {
    await discard(temporary.fsPath);
    throw error;
  }
}

export async function discard(file: string): Promise<void> {
  await unlink(file).catch(() => undefined);
}
