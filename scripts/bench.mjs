// npm run bench [-- OPTIONS]: times the engine and llama.cpp side by side; npm run bench:served: a served run; npm run bench:views: the report view in a browser. --no-setup: with the engine that is built; see bench/README.md.
import './setup/nodeVersion.mjs';
import path from 'node:path';
import process from 'node:process';
import { benchBundle, viewsBenchBundle } from './lib/bundles.mjs';
import { builtLibrary, root } from './lib/paths.mjs';
import { runShown } from './lib/run.mjs';
import { createUi, main } from './lib/say.mjs';
import { setUpBrowser, setUpLlama, setUpPackages, setUpProduct } from './setup/index.mjs';

await main(async () => {
  const own = new Set(['--no-setup', 'served', 'views']);
  const args = process.argv.slice(2);
  const ui = createUi(process.stderr);
  if (args[0] === 'views') {
    if (!args.includes('--no-setup')) await setUpPackages(ui);
    await setUpBrowser(ui);
    const { build } = await import('esbuild');
    await build(viewsBenchBundle());
    return runShown([process.execPath, path.join(root, 'dist-bench/views/main.mjs'), ...args.filter((word) => !own.has(word))]);
  }
  if (!args.includes('--no-setup')) await setUpProduct(ui);
  const served = args[0] === 'served';
  if (!served && !args.includes('--no-llama')) await setUpLlama(ui);
  const { build } = await import('esbuild');
  await build(benchBundle());
  const folders = ['--root', root, '--library', builtLibrary];
  return runShown([process.execPath, path.join(root, 'dist-bench', served ? 'servedMain.js' : 'main.js'), ...args.filter((word) => !own.has(word)), ...folders]);
});
