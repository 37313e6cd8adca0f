// What the builds need from the machine. Each missing tool is one sentence; nothing is looked for when nothing is to be built.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { Problem } from '../lib/say.mjs';

const debianHint = 'On Debian or Ubuntu: apt-get install build-essential.';
const linkerHint = { darwin: 'Run: xcode-select --install.', win32: 'Install the Visual Studio Build Tools with the C++ workload.' }[process.platform] ?? debianHint;

export function has(command, ...args) {
  const { status, error } = spawnSync(command, args.length > 0 ? args : ['--version'], { stdio: 'ignore' });
  return error === undefined && status === 0;
}

function versionOf(command) {
  const { stdout, error } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  const found = error === undefined ? /(\d+)\.(\d+)/.exec(stdout) : null;
  return found === null ? null : [Number(found[1]), Number(found[2])];
}

/** @throws {Problem} when Rust or a C linker is missing. */
export function demandRust([wantedMajor, wantedMinor] = [1, 85]) {
  const rust = versionOf('rustc');
  if (rust === null || !has('cargo')) {
    throw new Problem('The engine is built from Rust, and cargo was not found. Install Rust from https://rustup.rs (or your package manager) and try again.');
  }
  if (rust[0] < wantedMajor || (rust[0] === wantedMajor && rust[1] < wantedMinor)) {
    throw new Problem(`The engine needs Rust ${wantedMajor}.${wantedMinor} or newer; this is ${rust.join('.')}. Run: rustup update.`);
  }
  if (process.platform !== 'win32' && !has('cc')) throw new Problem(`Rust needs a C linker, and cc was not found. ${linkerHint}`);
}

/** @throws {Problem} when npm cannot be started. */
export function demandNpm() {
  if (process.env.npm_execpath === undefined && !has('npm')) throw new Problem('npm was not found. Install Node with npm and try again.');
}
