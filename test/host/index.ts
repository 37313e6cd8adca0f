// Entry of the in-host suite: VS Code loads it in the extension host and calls run(). Every *.test.js beside it is a test file.
// The host may die and still be reported as a success, so the runner demands the report that is written here.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import Mocha from 'mocha';
import * as vscode from 'vscode';

interface TestLine {
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
  readonly error: string;
}

/** What the runner reads. `extensionPath`: where the tested extension was loaded from. */
export interface HostReport {
  readonly tests: readonly TestLine[];
  readonly vscode: string;
  readonly node: string;
  readonly extensionPath: string;
}

const extensionId = 'moire.moire';

function line(test: Mocha.Test, state: TestLine['state'], error?: Error): TestLine {
  return { title: test.fullTitle(), state, ms: test.duration ?? 0, error: error === undefined ? '' : (error.stack ?? String(error)) };
}

const marks = { passed: '✓', failed: '✗', skipped: '-' };

/** The runner shows console lines that begin with this; the rest of the workbench's log is noise unless the host dies. */
const shown = '[test] ';

function collect(mocha: Mocha): Promise<TestLine[]> {
  const tests: TestLine[] = [];
  const note = (test: TestLine): void => {
    tests.push(test);
    // eslint-disable-next-line no-console -- the one way out of the host while it runs
    console.log(`${shown}${marks[test.state]} ${test.title} (${test.ms} ms)`);
  };
  return new Promise((resolve) => {
    mocha
      .run(() => resolve(tests))
      .on('pass', (test) => note(line(test, 'passed')))
      .on('fail', (test, error: Error) => note(line(test, 'failed', error)))
      .on('pending', (test) => note(line(test, 'skipped')));
  });
}

/** @throws when a test failed, so that the desktop's exit code says it too. */
export async function run(): Promise<void> {
  // The base reporter says nothing: results are collected from the runner's events.
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, color: false, reporter: 'base' });
  const wanted = process.env['MOIRE_TEST_FILES'] ?? '';
  // Activation first: it shows what is absent before anything is used.
  const isFirst = (name: string): number => (name.startsWith('activation') ? 1 : 0);
  const names = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).sort((a, b) => isFirst(b) - isFirst(a) || a.localeCompare(b));
  for (const name of names) {
    if (name.endsWith('.test.js') && name.includes(wanted)) mocha.addFile(path.join(__dirname, name));
  }
  const tests = await collect(mocha);
  const report: HostReport = {
    tests,
    vscode: vscode.version,
    node: process.version,
    extensionPath: vscode.extensions.getExtension(extensionId)?.extensionPath ?? '',
  };
  const file = process.env['MOIRE_TEST_REPORT'];
  if (file !== undefined) writeFileSync(file, JSON.stringify(report));
  const failed = tests.filter((test) => test.state === 'failed').length;
  if (failed > 0) throw new Error(`${failed} in-host tests failed`);
}
