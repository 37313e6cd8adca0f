// What the builds need from the machine. Each missing tool is one sentence, a broken one two; nothing is looked for when nothing is to be built.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { Problem } from '../lib/say.mjs';

const debianHint = 'On Debian or Ubuntu: apt-get install build-essential.';
const linkerHint = { darwin: 'Run: xcode-select --install.', win32: 'Install the Visual Studio Build Tools with the C++ workload.' }[process.platform] ?? debianHint;

const failingHint =
  'If it is a shim of rustup without a toolchain, run: rustup toolchain install stable && rustup default stable. If Rust was installed for another user or home folder, set RUSTUP_HOME and CARGO_HOME to the folders .rustup and .cargo there.';

export function has(command, ...args) {
  const { status, error } = spawnSync(command, args.length > 0 ? args : ['--version'], { stdio: 'ignore' });
  return error === undefined && status === 0;
}

/** First line of what a program says on standard error before it fails, as a sentence of its own. */
const firstLine = (text) => (text.split('\n').find((line) => line.trim() !== '') ?? '').trim();

/**
 * The version of a program.
 * @throws {Problem} when it is missing, and in other words when it is there but fails: a shim of rustup is on the path of everyone who ever had Rust.
 */
function versionOf(command) {
  const { stdout, stderr, status, signal, error } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  if (error?.code === 'ENOENT') throw new Problem(`The engine is built from Rust, and ${command} was not found. Install Rust from https://rustup.rs (or your package manager) and try again.`);
  if (error !== undefined || status !== 0) {
    const said = firstLine(error?.message ?? stderr) || `it ended with ${signal ?? `exit code ${status}`}`;
    throw new Problem(`The engine is built from Rust, and ${command} is there but does not run: ${said}\n${failingHint}`);
  }
  const found = /(\d+)\.(\d+)/.exec(stdout);
  return found === null ? [0, 0] : [Number(found[1]), Number(found[2])];
}

/** @throws {Problem} when Rust or a C linker is missing or does not run. */
export function demandRust([wantedMajor, wantedMinor] = [1, 85]) {
  versionOf('cargo');
  const rust = versionOf('rustc');
  if (rust[0] < wantedMajor || (rust[0] === wantedMajor && rust[1] < wantedMinor)) {
    throw new Problem(`The engine needs Rust ${wantedMajor}.${wantedMinor} or newer; this is ${rust.join('.')}. Run: rustup update.`);
  }
  if (process.platform !== 'win32' && !has('cc')) throw new Problem(`Rust needs a C linker, and cc was not found. ${linkerHint}`);
}

/** @throws {Problem} when npm cannot be started. */
export function demandNpm() {
  if (process.env.npm_execpath === undefined && !has('npm')) throw new Problem('npm was not found. Install Node with npm and try again.');
}
