// A file that is written whole or not at all.
import { randomBytes } from 'node:crypto';
import { mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Makes the folder. Rejects with the error of the file system; then nothing was left behind at `file`, and an older file there is untouched. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(temporary, content);
    await rename(temporary, file);
  } catch (error) {
    await discard(temporary);
    throw error;
  }
}

export async function discard(file: string): Promise<void> {
  await unlink(file).catch(() => undefined);
}
