// Makes the .vsix of this platform: stages what ships, bundled for production, and has vsce pack it.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import path from 'node:path';
import { productBundles } from './bundles.mjs';
import { inRoot, libraryName, relative } from './paths.mjs';
import { runLogged } from './run.mjs';
import { Problem } from './say.mjs';

const limitBytes = 15_000_000;
const target = `${process.platform}-${process.arch}`;
const koffi = `node_modules/@koromix/koffi-${target}`;
const copied = ['package.nls.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'THIRD_PARTY.md', '.vscodeignore', 'media', 'samples', 'node_modules/koffi', koffi];

async function stage(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { devDependencies: _development, scripts: _scripts, private: _private, ...manifest } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  for (const place of copied) {
    if (!existsSync(inRoot(place))) throw new Problem(`${place} is missing, and the package needs it.`);
    cpSync(inRoot(place), path.join(folder, place), { recursive: true });
  }
  await runLogged('bundles-production', [process.execPath, inRoot('esbuild.mjs'), '--production', `--out=${folder}`]);
}

/** @param {readonly string[]} files that ship */
function inspect(files) {
  const sources = files.filter((file) => /\.(ts|rs|c|h|map|mjs)$/.test(file) && file !== 'dist/native/moire.h');
  if (sources.length > 0) throw new Problem(`The package would ship sources: ${sources.join(', ')}.`);
  const binaries = files.filter((file) => file.endsWith('koffi.node'));
  if (binaries.length !== 1) throw new Problem(`The package must hold one koffi binary, not ${binaries.length}: ${binaries.join(', ')}.`);
  const bundles = Object.values(productBundles({ production: true })).map(({ outfile }) => relative(outfile));
  for (const file of [`dist/native/${libraryName}`, 'dist/native/moire.h', ...bundles]) {
    if (!files.includes(file)) throw new Problem(`The package lacks ${file}.`);
  }
}

/** Resolves to the path of the .vsix. @throws {Problem} when it is too large, lacks something or holds what must not ship. */
export async function packageVsix() {
  const { createVSIX, listFiles } = await import('@vscode/vsce');
  const folder = inRoot('out', 'stage');
  const file = inRoot('out', `moire-${target}.vsix`);
  await stage(folder);
  inspect(await listFiles({ cwd: folder }));
  await createVSIX({ cwd: folder, packagePath: file, target, rewriteRelativeLinks: false });
  rmSync(folder, { recursive: true, force: true });
  const { size } = statSync(file);
  process.stdout.write(`${relative(file)}: ${(size / 1e6).toFixed(1)} MB\n`);
  if (size > limitBytes) throw new Problem(`${relative(file)} has ${(size / 1e6).toFixed(1)} MB; the limit is ${limitBytes / 1e6} MB.`);
  return file;
}
