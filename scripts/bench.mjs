// npm run bench [-- OPTIONS]: times the engine and llama.cpp side by side; npm run bench:served: a served run. --no-setup: with the engine that is built; see bench/README.md.
import './setup/nodeVersion.mjs';
import path from 'node:path';
import process from 'node:process';
import { benchBundle } from './lib/bundles.mjs';
import { builtLibrary, root } from './lib/paths.mjs';
import { runShown } from './lib/run.mjs';
import { createUi, main } from './lib/say.mjs';
import { setUpLlama, setUpProduct } from './setup/index.mjs';

await main(async () => {
  const own = new Set(['--no-setup', 'served']);
  const args = process.argv.slice(2);
  const ui = createUi(process.stderr);
  if (!args.includes('--no-setup')) await setUpProduct(ui);
  const served = args[0] === 'served';
  if (!served && !args.includes('--no-llama')) await setUpLlama(ui);
  const { build } = await import('esbuild');
  await build(benchBundle());
  const folders = ['--root', root, '--library', builtLibrary];
  return runShown([process.execPath, path.join(root, 'dist-bench', served ? 'servedMain.js' : 'main.js'), ...args.filter((word) => !own.has(word)), ...folders]);
});
