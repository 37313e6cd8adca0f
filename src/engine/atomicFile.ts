// A file that is written whole or not at all.
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes `text` beside `file` and renames it into place, so that an old file stays until the new one is safe on the disk. Throws the error of the system.
 * Not by write-file-atomic (7.0.1): it writes once and does not look at how much was written, so a full disk leaves a file that ends in the middle.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
