// npm run -s moire -- ARGUMENTS: the command line tool from a working tree. What there is to build is built first and told on standard error.
import './setup/nodeVersion.mjs';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { inRoot } from './lib/paths.mjs';
import { createUi, main } from './lib/say.mjs';
import { setUpProduct } from './setup/index.mjs';

await main(async () => {
  await setUpProduct(createUi(process.stderr));
  // Relative paths are meant from where npm was started.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const child = spawn(process.execPath, [inRoot('dist/cli.js'), ...process.argv.slice(2)], { cwd, stdio: 'inherit' });
  // The terminal sends Ctrl+C to both; the tool decides how to end.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.on('close', (code, signal) => resolve(signal === null ? code : 130)));
});
