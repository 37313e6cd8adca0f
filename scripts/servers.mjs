// Sets up servers of others for the tests that attach to really running ones (test/engine/attached/real.test.ts). Optional: without them those tests are skipped.
import './setup/nodeVersion.mjs';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { inRoot } from './lib/paths.mjs';
import { runShown } from './lib/run.mjs';
import { Problem, main } from './lib/say.mjs';

/** Both are MIT. */
const servers = [
  { name: 'mlx-lm', packages: ['mlx-lm==0.32.2', 'mlx[cpu]==0.32.4'] },
  { name: 'llama-cpp', packages: ['xllamacpp==2026.10.11549'] },
];

async function demand(command, title) {
  if ((await runShown(command)) !== 0) throw new Problem(`${title} failed. Python 3.10 or later with venv and pip is needed.`);
}

await main(async () => {
  for (const { name, packages } of servers) {
    const folder = inRoot('.moire/servers', name);
    if (!existsSync(folder)) await demand(['python3', '-m', 'venv', folder], `Making ${folder}`);
    await demand([`${folder}/bin/pip`, 'install', '--quiet', '--disable-pip-version-check', ...packages], `Installing ${packages.join(' ')}`);
    process.stdout.write(`${name} is ready\n`);
  }
});
