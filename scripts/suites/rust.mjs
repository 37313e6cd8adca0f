// The native workspace: format, lint, tests.
import { inRoot } from '../lib/paths.mjs';
import { runShown } from '../lib/run.mjs';
import { demandRust, has } from '../setup/toolchain.mjs';
import { check, exitMismatch, skipped } from './counts.mjs';

const cwd = inRoot('native');

const component = (name, title, ...args) => async () => {
  demandRust();
  if (!has('cargo', name, '--version')) return skipped(`cargo ${name} is not installed; run: rustup component add ${title}`);
  return check(await runShown(['cargo', name, ...args], { cwd }));
};

/** Adds up the lines that end every test binary of cargo. */
export function countCargo(lines) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const line of lines) {
    const found = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/.exec(line);
    if (!found) continue;
    sum.passed += Number(found[1]);
    sum.failed += Number(found[2]);
    sum.skipped += Number(found[3]);
  }
  return sum;
}

async function tests() {
  demandRust();
  const lines = [];
  const code = await runShown(['cargo', 'test', '--workspace', '--locked', '--no-fail-fast'], { cwd, onLine: (line) => lines.push(line) });
  return exitMismatch(countCargo(lines), code);
}

/** A script of native/scripts that exits 77 where its tools are not there. */
const elsewhere = (instructionSet) => async () => {
  demandRust();
  const lines = [];
  const code = await runShown(['bash', 'scripts/isa-bytes.sh', instructionSet], { cwd, onLine: (line) => lines.push(line) });
  return code === 77 ? skipped(lines.findLast((line) => line.startsWith('skipped: '))?.slice(9) ?? 'its tools are not there') : check(code);
};

export const rustSuites = [
  { name: 'rust:format', title: 'rustfmt', needs: [], run: component('fmt', 'rustfmt', '--all', '--check') },
  { name: 'rust:lint', title: 'clippy, warnings are errors', needs: [], run: component('clippy', 'clippy', '--workspace', '--all-targets', '--locked', '--quiet', '--', '-D', 'warnings') },
  { name: 'rust:test', title: 'tests of the native workspace', needs: [], run: tests },
  { name: 'rust:neon', title: 'bytes of the kernels under qemu-aarch64', needs: [], run: elsewhere('neon') },
  { name: 'rust:avx512', title: 'bytes of the kernels under an emulated AVX-512', needs: [], run: elsewhere('avx512') },
];
