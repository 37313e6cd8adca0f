// The set-up that `npm start`, `npm test` and the other commands share: does what is missing, and nothing the second time.
import process from 'node:process';
import { inRoot } from '../lib/paths.mjs';
import { Problem, seconds } from '../lib/say.mjs';
import { isStamped, stamp, unstamp } from '../lib/stamp.mjs';
import { aptInstall, mayInstall, onPath } from './debian.mjs';
import { bundleStep, cliStep, llamaStep, packageStep, productSteps, serverStep } from './steps.mjs';

const isDone = (step, key = step.key()) => isStamped(step.name, key) && step.present();

/** Resolves to whether there was something to do. */
async function ensure(ui, step) {
  const key = step.key();
  if (isDone(step, key)) return false;
  unstamp(step.name);
  await ui.step(step.title, (progress) => step.run(progress));
  stamp(step.name, key);
  return true;
}

async function ensureAll(ui, steps) {
  const start = Date.now();
  let did = false;
  for (const step of steps) did = (await ensure(ui, step)) || did;
  if (did) ui.line(`Set up in ${seconds(start)}.`);
  return did;
}

export const setUpPackages = (ui) => ensureAll(ui, [packageStep]);

/** Packages, native engine and bundles. */
export const setUpProduct = (ui) => ensureAll(ui, productSteps);

/** The command line tool for what needs no engine; resolves to its file, which is the product's own where that is up to date. */
export async function setUpCli(ui) {
  if (isDone(bundleStep)) return inRoot('dist/cli.js');
  await ensureAll(ui, [packageStep, cliStep]);
  return cliStep.file;
}

/** The prebuilt llama.cpp, where there is one for this system; the bench says so where there is not. */
export async function setUpLlama(ui) {
  if (serverPlatform) await ensureAll(ui, [llamaStep]);
}

async function ensureCommands(ui, title, { commands, packages, why }) {
  const missing = commands.filter((names) => onPath(...names) === undefined).map(([name]) => name);
  if (missing.length === 0) return;
  const list = missing.join(', ');
  if (!mayInstall()) throw new Problem(`${why} ${list}, which ${missing.length === 1 ? 'is' : 'are'} not installed. On Debian or Ubuntu: sudo apt-get install ${packages.join(' ')}.`);
  await ui.step(title, (progress) => aptInstall(packages, progress));
}

export const serverPlatform = process.platform === 'linux' && process.arch === 'x64';

/** A VS Code in the browser. */
export async function setUpServer(ui) {
  if (!serverPlatform) throw new Problem('The VS Code server that the tests use runs on Linux x64 only.');
  if (!isDone(serverStep)) {
    const tools = { commands: [['g++'], ['make'], ['python3']], packages: ['g++', 'make', 'python3'], why: 'Two addons of the VS Code server are built with' };
    await ensureCommands(ui, 'build tools', tools);
  }
  await ensure(ui, serverStep);
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser to test with: what CHROMIUM names, else the first known name on the path. */
export const browserPath = () => process.env.CHROMIUM ?? onPath(...browsers);

export async function setUpBrowser(ui) {
  if (process.env.CHROMIUM !== undefined) return;
  await ensureCommands(ui, 'Chromium', { commands: [browsers], packages: ['chromium', 'fonts-dejavu-core', 'fonts-liberation'], why: 'The browser tests need' });
}
