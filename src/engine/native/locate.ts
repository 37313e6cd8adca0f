// Finds the native library and the header: beside the bundle, or in the source tree when nothing is bundled.
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { EngineError } from '../engineError';

const names: Partial<Record<NodeJS.Platform, string>> = { win32: 'moire.dll', darwin: 'libmoire.dylib' };

/** File name of the library on this system. */
export const libraryName = names[process.platform] ?? 'libmoire.so';

const bundled = path.basename(__dirname) !== 'native';
const root = path.resolve(__dirname, bundled ? '..' : '../../..');
const besideBundle = path.join(__dirname, 'native');
const built = path.join(root, 'native/target/release');

/**
 * Path of the library: `setting` if it names one, else the one that ships with the bundle, else the one that cargo built.
 * Throws EngineError E_IO with what to do.
 */
export function locateLibrary(setting = ''): string {
  if (setting !== '') {
    const chosen = path.resolve(setting);
    if (existsSync(chosen)) return chosen;
    throw new EngineError('E_IO', chosen, 'This engine library does not exist. Correct the path in moire.engine.library, or leave it empty for the built-in engine.');
  }
  const candidates = (bundled ? [besideBundle, built] : [built]).map((folder) => path.join(folder, libraryName));
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found !== undefined) return found;
  throw new EngineError(
    'E_IO',
    candidates.join(', '),
    `The engine library is missing for ${process.platform}-${process.arch}. Reinstall the extension for this platform; in the source tree run: npm run build`,
  );
}

/** Path of the header that this build was made for. */
export function locateHeader(): string {
  const candidates = [path.join(besideBundle, 'moire.h'), path.join(root, 'native/include/moire.h')];
  const found = (bundled ? candidates : candidates.slice(1)).find((candidate) => existsSync(candidate));
  if (found !== undefined) return found;
  throw new EngineError('E_IO', candidates.join(', '), 'moire.h is missing. Reinstall the extension; in the source tree run: npm run build');
}
