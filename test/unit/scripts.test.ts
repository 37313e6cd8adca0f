// The scripts behind npm start and npm test: what a newcomer with half a toolchain reads, and how results are counted.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { needsEngine } from '../../scripts/lib/verbs.mjs';
import { exitMismatch } from '../../scripts/suites/counts.mjs';
import { countCargo } from '../../scripts/suites/rust.mjs';

const bin = mkdtempSync(path.join(tmpdir(), 'moire-bin-'));
afterAll(() => rmSync(bin, { recursive: true }));

function command(name: string, prints: string): void {
  program(name, `echo '${prints}'`);
}

function program(name: string, body: string): void {
  writeFileSync(path.join(bin, name), `#!/bin/sh\n${body}\n`);
  chmodSync(path.join(bin, name), 0o755);
}

const script = (name: string): string => JSON.stringify(pathToFileURL(path.resolve('scripts', name)).href);

/** What a script says on a machine whose PATH holds only the commands made here. */
function says(body: string): string {
  const source = `import { main } from ${script('lib/say.mjs')};\n${body}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8', env: { PATH: bin } });
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
  return stderr.trim();
}

const demandRust = `import { demandRust } from ${script('setup/toolchain.mjs')}; await main(() => demandRust());`;

describe('a missing tool is one sentence', () => {
  it('no cargo', () => {
    expect(says(demandRust)).toMatch(/^The engine is built from Rust, and cargo was not found\. Install Rust from .*$/);
  });

  it('a cargo that fails, as the shim of rustup without a toolchain does', () => {
    program('cargo', "echo >&2; echo 'error: rustup could not choose a version of cargo to run' >&2; echo 'help: more' >&2; exit 1");
    const [what, todo, ...more] = says(demandRust).split('\n');
    expect(what).toBe('The engine is built from Rust, and cargo is there but does not run: error: rustup could not choose a version of cargo to run');
    expect(todo).toMatch(/^If it is a shim of rustup without a toolchain, run: rustup toolchain install stable .* set RUSTUP_HOME /);
    expect(more).toEqual([]);
    program('cargo', 'exit 7');
    expect(says(demandRust)).toContain('cargo is there but does not run: it ended with exit code 7\n');
  });

  it('a cargo without its compiler', () => {
    command('cargo', 'cargo 1.95.0');
    expect(says(demandRust)).toMatch(/^The engine is built from Rust, and rustc was not found\. /);
  });

  it('an old Rust', () => {
    command('cargo', 'cargo 1.70.0');
    command('rustc', 'rustc 1.70.0 (90c541806 2023-05-31)');
    expect(says(demandRust)).toBe('The engine needs Rust 1.85 or newer; this is 1.70. Run: rustup update.');
  });

  it('no linker', () => {
    command('rustc', 'rustc 1.95.0 (0000000 2026-01-01)');
    expect(says(demandRust)).toMatch(/^Rust needs a C linker, and cc was not found\. .*$/);
  });

  it('no npm', () => {
    expect(says(`import { demandNpm } from ${script('setup/toolchain.mjs')}; await main(() => demandNpm());`)).toBe('npm was not found. Install Node with npm and try again.');
  });

  it('an old Node', () => {
    const body = `Object.defineProperty(process.versions, 'node', { value: '18.19.0' }); await import(${script('setup/nodeVersion.mjs')});`;
    expect(says(body)).toMatch(/^Moire needs Node 20\.17 or newer; this is v\S+\. Install a current Node .*$/);
  });

  it('no browser, and no way to install one', () => {
    const body = `import { setUpBrowser } from ${script('setup/index.mjs')}; await main(() => setUpBrowser({}));`;
    expect(says(body)).toMatch(/^The browser tests need chromium, which is not installed\. On Debian or Ubuntu: sudo apt-get install chromium .*$/);
  });
});

describe('npm run -s moire', () => {
  const verbs = [...readFileSync('src/cli/main.ts', 'utf8').matchAll(/^ {2}(\w+): async \(\) => \(await import\(/gm)].map(([, name = '']) => name);

  it.each([
    [['--help'], '', /^Usage: moire /, 0],
    [['bisect', '--help'], '', /^Usage: moire bisect /, 0],
    [['logs', 'samples/served/rounds.moire-capture.jsonl'], '', /moire/, 0],
    [['record', 'test/fixtures/reports/replay.moire.json'], '', /^# /, 0],
    [['bisekt'], "moire: unknown command 'bisekt'", /^$/, 2],
  ] as const)('%j answers where the engine is not built and cannot be', (words, stderr, stdout, status) => {
    const found = spawnSync(process.execPath, ['scripts/moire.mjs', ...words], { encoding: 'utf8', env: { PATH: bin, CARGO_TARGET_DIR: bin } });
    expect(found).toMatchObject({ status, stderr: expect.stringContaining(stderr) as string, stdout: expect.stringMatching(stdout) as string });
  }, 60_000);

  it('builds the engine for the verbs that run one, and for a model of the others', () => {
    expect(verbs).toContain('bisect');
    expect(verbs.filter((verb) => !needsEngine([verb]))).toEqual(['attach', 'logs', 'record', 'compare', 'ids']);
    expect(['-m', '-mfolder', '--model', '--model=folder'].map((option) => needsEngine(['ids', 'a', 'b', option]))).toEqual([true, true, true, true]);
    expect(needsEngine(['attach', 'http://127.0.0.1:1', 'servers', '--local', 'folder'])).toBe(true);
    expect(needsEngine(['attach', 'http://127.0.0.1:1', '--model', 'name'])).toBe(false);
    expect([[], ['-v'], ['help', 'bisect'], ['constructor', '-m'], ['bisect', 'folder', '-h']].map((words) => needsEngine(words))).toEqual([false, false, false, false, false]);
  });
});

describe('counting', () => {
  it("adds up cargo's test binaries", () => {
    const lines = ['running 3 tests', 'test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s', 'test result: FAILED. 4 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out'];
    expect(countCargo(lines)).toEqual({ passed: 6, failed: 3, skipped: 1 });
  });

  it('takes a suite without tests for a failure', () => {
    expect(exitMismatch({ passed: 0, failed: 0, skipped: 0 }, 0)).toMatchObject({ failed: 1, note: 'no test ran' });
  });

  it('takes a runner that failed without a failing test for a failure', () => {
    expect(exitMismatch({ passed: 5, failed: 0, skipped: 0 }, 1)).toMatchObject({ passed: 5, failed: 1 });
  });

  it('leaves a good run alone', () => {
    expect(exitMismatch({ passed: 5, failed: 0, skipped: 2 }, 0)).toEqual({ passed: 5, failed: 0, skipped: 2 });
  });
});
