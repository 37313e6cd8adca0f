// A file that is written whole or not at all: the one way in which engine and extension replace files.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

/** What is being written; a process that ends by its own will in the middle of it leaves nothing behind. */
const unfinished = new Set<string>();
process.on('exit', () => {
  for (const temporary of unfinished) rmSync(temporary, { force: true });
});

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * Where the bytes of `file` belong: behind its links, also where these lead to a file that is yet to be. Throws ENOTREG for what is there and no file, which a rename
 * would replace: a device, a pipe; EISDIR for a folder, ELOOP for links that lead nowhere.
 */
async function destination(file: string): Promise<string> {
  const facts = await stat(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (facts === null) {
    const link = await readlink(file).catch(() => null);
    return link === null ? file : destination(path.resolve(await realpath(path.dirname(file)), link));
  }
  if (facts.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
  if (!facts.isFile()) throw Object.assign(new Error('is not a regular file'), { code: 'ENOTREG' });
  return realpath(file);
}

/**
 * Writes `content`, or its pieces one after another, beside `file` and renames it into place, so that an old file stays until the new one is safe on the disk; a link stays a link. Throws the error of the system.
 * Not by write-file-atomic: its 7.0.1 writes once and does not look at how much was written, so a full disk leaves a file that ends in the middle.
 */
export async function writeWhole(file: string, content: string | Uint8Array | Iterable<string>): Promise<void> {
  const target = await destination(file);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  unfinished.add(temporary);
  try {
    const handle = await open(temporary, 'wx');
    try {
      // Each goes on where the one before ended.
      for (const piece of typeof content === 'string' || content instanceof Uint8Array ? [content] : content) await handle.writeFile(piece);
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
