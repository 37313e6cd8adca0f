// Writes THIRD_PARTY.md: every library that ships, bundled, beside us or compiled in, with its licence. With --check only says whether it is current.
// What is bundled comes from the bundler itself, what is compiled in from cargo's resolved graph.
import './setup/nodeVersion.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { productBundles } from './lib/bundles.mjs';
import { inRoot } from './lib/paths.mjs';
import { Problem, main } from './lib/say.mjs';

const file = inRoot('THIRD_PARTY.md');
/** Loaded at run time, so not in the bundles. */
const beside = ['node_modules/koffi'];
const nativeTarget = 'x86_64-unknown-linux-gnu';

function licenceText(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|unlicense)/i.test(name)).sort();
  // Of a choice of licences the first that a library offers beside Apache is the shorter one.
  const name = names.find((candidate) => /mit/i.test(candidate)) ?? names.find((candidate) => !/apache/i.test(candidate)) ?? names[0];
  const found = name === undefined ? undefined : path.join(folder, name);
  return found && statSync(found).isFile() ? readFileSync(found, 'utf8').replaceAll('\r\n', '\n').trim() : '';
}

/** @param {string} place folder of a package, relative to the root: not only the name, since versions stand inside others */
function npmLibrary(place) {
  const folder = inRoot(place);
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return { name, version, licence: license, text: licenceText(folder) };
}

async function bundledPackages() {
  const { build } = await import('esbuild');
  const places = new Set();
  for (const options of Object.values(productBundles({ production: true }))) {
    const { metafile } = await build({ ...options, metafile: true, write: false });
    for (const input of Object.keys(metafile.inputs)) {
      const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input);
      if (found) places.add(found[0]);
    }
  }
  return places;
}

function cargoMetadata() {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', nativeTarget];
  const { stdout, stderr, status, error } = spawnSync('cargo', args, { cwd: inRoot('native'), encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error || status !== 0) throw new Problem(`cargo metadata failed: ${error?.message ?? stderr}`);
  return JSON.parse(stdout);
}

/** Crates that are linked into the library: the normal dependencies of its package, followed through. */
function crates() {
  const { packages, resolve } = cargoMetadata();
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const wanted = new Set();
  const visit = (id) => {
    if (wanted.has(id)) return;
    wanted.add(id);
    const linked = nodes.get(id).deps.filter(({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind === null));
    linked.forEach(({ pkg }) => visit(pkg));
  };
  visit(resolve.root);
  return packages
    .filter(({ id, source }) => wanted.has(id) && source !== null)
    .map(({ name, version, license, manifest_path: manifest }) => ({ name, version, licence: license, text: licenceText(path.dirname(manifest)) }));
}

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1);
const table = (libraries) => ['| library | version | licence |', '|---|---|---|', ...libraries.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)].join('\n');

/** Each distinct text once, under the libraries that it comes with. */
function texts(libraries) {
  const groups = new Map();
  for (const { name, text } of libraries.filter(({ text: found }) => found !== '')) groups.set(text, [...(groups.get(text) ?? []), name]);
  return [...groups].map(([text, names]) => `### ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\``).join('\n\n');
}

async function render() {
  const npm = [...new Set([...(await bundledPackages()), ...beside])].map(npmLibrary).sort(byName);
  const rust = crates().sort(byName);
  return `# Third-party software and data

Written by \`npm run licences\` from the bundles and the lock files; do not edit.

## Libraries in the bundles and beside them

${table(npm)}

## Crates in the native engine

${table(rust)}

## The sample model

It was trained on sources of npm packages and can reproduce short passages of them. The packages, their versions and their licence texts are in [samples/LICENSES.md](samples/LICENSES.md).

## Licence texts

${texts([...npm, ...rust])}
`;
}

await main(async () => {
  const text = await render();
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  if (process.argv.includes('--check')) throw new Problem('THIRD_PARTY.md is stale. Run: npm run licences.');
  writeFileSync(file, text);
  process.stdout.write('wrote THIRD_PARTY.md\n');
});
