// Whether a step of the set-up has been done for its inputs: a stamp holds the hash of what the step read.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { inRoot, stateFolder } from './paths.mjs';

const ignored = new Set(['node_modules', 'target', '.git']);

function* filesBelow(file) {
  if (!existsSync(file)) return;
  if (!statSync(file).isDirectory()) return yield file;
  for (const entry of readdirSync(file).sort()) {
    if (!ignored.has(entry)) yield* filesBelow(path.join(file, entry));
  }
}

/** One hash over the names and contents of files and folders, given relative to the root, and over `more`. */
export function hashOf(places, more = '') {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n${more}\n`);
  for (const place of places) {
    for (const file of filesBelow(inRoot(place))) hash.update(`${path.relative(inRoot(), file)}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

const stampFile = (name) => path.join(stateFolder, 'stamps', name);

export function isStamped(name, key) {
  return existsSync(stampFile(name)) && readFileSync(stampFile(name), 'utf8') === key;
}

export function stamp(name, key) {
  mkdirSync(path.dirname(stampFile(name)), { recursive: true });
  writeFileSync(stampFile(name), key);
}

/** A step that is about to run has not been done, also when it is interrupted. */
export function unstamp(name) {
  rmSync(stampFile(name), { force: true });
}
