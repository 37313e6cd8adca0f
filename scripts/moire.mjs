// npm run -s moire -- ARGUMENTS: the command line tool from a working tree. What there is to build is built first and told on standard error.
import './setup/nodeVersion.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import process from 'node:process';
import { inRoot } from './lib/paths.mjs';
import { createUi, main } from './lib/say.mjs';
import { needsEngine } from './lib/verbs.mjs';
import { setUpCli, setUpProduct } from './setup/index.mjs';

/** Builds what these words need; the file of the tool. */
async function tool(words) {
  const ui = createUi(process.stderr);
  if (!needsEngine(words)) return setUpCli(ui);
  await setUpProduct(ui);
  return inRoot('dist/cli.js');
}

await main(async () => {
  const words = process.argv.slice(2);
  const file = await tool(words);
  // Relative paths are meant from where npm was started.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const child = spawn(process.execPath, [file, ...words], { cwd, stdio: 'inherit' });
  // The terminal sends Ctrl+C and its own end to both; the tool decides how to end.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code, signal] = await once(child, 'close');
  // As the tool itself does: without its terminal Node would abort at its end.
  if (signal === 'SIGHUP') {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  return signal === null ? code : 128 + constants.signals[signal];
});
