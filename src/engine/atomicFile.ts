// A file that is written whole or not at all.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import process from 'node:process';

/** What is being written; a process that ends by its own will in the middle of it leaves nothing behind. */
const unfinished = new Set<string>();
process.on('exit', () => {
  for (const temporary of unfinished) rmSync(temporary, { force: true });
});

/** Where the bytes of `file` belong: behind its links. Throws ENOTREG for what is there and no file, which a rename would replace: a device, a pipe, a folder. */
async function destination(file: string): Promise<string> {
  const facts = await stat(file).catch(() => null);
  if (facts === null) return file;
  if (facts.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
  if (!facts.isFile()) throw Object.assign(new Error('is not a regular file'), { code: 'ENOTREG' });
  return realpath(file);
}

/**
 * Writes `text`, or its pieces one after another, beside `file` and renames it into place, so that an old file stays until the new one is safe on the disk; a link stays a link. Throws the error of the system.
 * Not by write-file-atomic: its 7.0.1 writes once and does not look at how much was written, so a full disk leaves a file that ends in the middle.
 */
export async function writeWhole(file: string, text: string | Iterable<string>): Promise<void> {
  const target = await destination(file);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  unfinished.add(temporary);
  try {
    const handle = await open(temporary, 'wx');
    try {
      // Each goes on where the one before ended.
      for (const piece of typeof text === 'string' ? [text] : text) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    unfinished.delete(temporary);
  }
}
