// Where things are.
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
export const inRoot = (...parts) => path.join(root, ...parts);
export const relative = (file) => path.relative(root, file) || '.';

/** Notes of the set-up, logs of its commands, incremental compiler state. Safe to delete. */
export const stateFolder = inRoot('.moire');
export const logFolder = inRoot('.moire', 'logs');

const libraryNames = { win32: 'moire.dll', darwin: 'libmoire.dylib' };
export const libraryName = libraryNames[process.platform] ?? 'libmoire.so';
export const builtLibrary = path.join(process.env.CARGO_TARGET_DIR ?? inRoot('native', 'target'), 'release', libraryName);

export const sampleModel = inRoot('samples', 'target-4bit');
