// Files that the extension writes and removes on the local disk.
import { mkdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { writeWhole } from '../disk/writeWhole';

/** As writeWhole; makes the folder. Rejects with the error of the file system; then nothing was left behind at `file`, and an older file there is untouched. */
export async function writeInto(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeWhole(file, content);
}

export async function discard(file: string): Promise<void> {
  await unlink(file).catch(() => undefined);
}
