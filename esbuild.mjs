// Bundles the product into dist/ and the in-host tests into dist-test/, and puts the native library beside them.
//   node esbuild.mjs [--watch] [--production [--out=FOLDER]]
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as esbuild from 'esbuild';
import { productBundles } from './scripts/lib/bundles.mjs';
import { builtLibrary, inRoot, libraryName, relative, root } from './scripts/lib/paths.mjs';

const production = process.argv.includes('--production');
const out = process.argv.find((word) => word.startsWith('--out='))?.slice('--out='.length) ?? root;
const bundles = Object.values(productBundles({ production, out }));

/** Through a temporary name, so that a process which has the old library mapped keeps it. */
function place(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}

function placeLibrary() {
  if (!existsSync(builtLibrary)) throw new Error(`${relative(builtLibrary)} is missing; run: cargo build --release --locked (in native/)`);
  place(builtLibrary, path.join(out, 'dist/native', libraryName));
  place(inRoot('native/include/moire.h'), path.join(out, 'dist/native/moire.h'));
}

if (process.argv.includes('--watch')) {
  for (const options of bundles) await (await esbuild.context({ ...options, logLevel: 'info' })).watch();
} else {
  if (!production) rmSync(inRoot('dist-test'), { recursive: true, force: true });
  const present = bundles.filter(({ entryPoints: [entry] }) => existsSync(inRoot(entry)) || console.log(`  ${entry} is not there yet: skipped`));
  await Promise.all(present.map((options) => esbuild.build(options)));
  placeLibrary();
}
