// Bundles the product into dist/ and the in-host tests into dist-test/, and puts the native library beside them.
//   node esbuild.mjs [--production] [--watch]
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as esbuild from 'esbuild';
import { builtLibrary, libraryName } from './scripts/lib/paths.mjs';

const root = import.meta.dirname;
const production = process.argv.includes('--production');

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  define: { 'process.env.NODE_ENV': '"production"' },
};
/** VS Code 1.104 runs Node 22; the CLI runs under whatever Node its user has, from 20 on. */
const node = { ...common, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode', 'koffi', 'mocha'] };
const page = { ...common, platform: 'browser', target: 'chrome130', format: 'iife' };

export const bundles = [
  { ...node, entryPoints: ['src/extension/main.ts'], outfile: 'dist/extension.js' },
  { ...node, entryPoints: ['src/engine/process.ts'], outfile: 'dist/engineProcess.js' },
  { ...node, entryPoints: ['src/cli/main.ts'], outfile: 'dist/cli.js', banner: { js: '#!/usr/bin/env node' } },
  { ...page, entryPoints: ['src/webview/main.ts'], outfile: 'dist/webview/report.js' },
  { ...node, entryPoints: ['test/host/index.ts', 'test/host/**/*.test.ts'], outdir: 'dist-test/host', outbase: 'test/host' },
];

/** Through a temporary name, so that a process which has the old library mapped keeps it. */
function place(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}

function placeLibrary() {
  if (!existsSync(builtLibrary)) {
    throw new Error(`${path.relative(root, builtLibrary)} is missing; run: cargo build --release --locked (in native/)`);
  }
  place(builtLibrary, path.join(root, 'dist/native', libraryName));
  place(path.join(root, 'native/include/moire.h'), path.join(root, 'dist/native/moire.h'));
}

if (process.argv.includes('--watch')) {
  for (const options of bundles) await (await esbuild.context({ ...options, logLevel: 'info' })).watch();
} else {
  for (const folder of ['dist/webview', 'dist-test']) rmSync(path.join(root, folder), { recursive: true, force: true });
  const present = bundles.filter(({ entryPoints: [entry] }) => existsSync(path.join(root, entry)) || console.log(`  ${entry} is not there yet: skipped`));
  await Promise.all(present.map((options) => esbuild.build(options)));
  placeLibrary();
}
