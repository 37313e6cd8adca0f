// Static checks, and the tests that vitest runs: one suite for each folder of test/ that has some.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { inRoot, stateFolder } from '../lib/paths.mjs';
import { npm, runShown } from '../lib/run.mjs';
import { check, exitMismatch } from './counts.mjs';

const npmCheck = (name, title, ...script) => ({ name, title, needs: ['packages'], run: async () => check(await runShown(npm('run', '--silent', ...script))) });

export const staticSuites = [
  npmCheck('static:types', 'TypeScript, strict', 'typecheck'),
  npmCheck('static:lint', 'ESLint with the import arrows', 'lint'),
  npmCheck('static:schemas', 'published schemas are current', 'schemas', '--', '--check'),
  npmCheck('static:l10n', 'the bundle of strings is current', 'l10n', '--', '--check'),
  npmCheck('static:licences', 'licence list is current', 'licences', '--', '--check'),
];

/** @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number }} report of vitest */
const countVitest = (report) => ({ passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests + report.numTodoTests });

/** Runs vitest on a folder; what it counts comes from its JSON report. */
export async function runVitest(folder, { project, reporter = 'default', args = [] }) {
  const file = path.join(stateFolder, 'reports', `${path.basename(folder)}.json`);
  mkdirSync(path.dirname(file), { recursive: true });
  rmSync(file, { force: true });
  const reporters = [`--reporter=${reporter}`, '--reporter=json', `--outputFile.json=${file}`];
  const code = await runShown([process.execPath, inRoot('node_modules/vitest/vitest.mjs'), 'run', '--project', project, ...reporters, ...args, `${folder}/`]);
  const counts = existsSync(file) ? countVitest(JSON.parse(readFileSync(file, 'utf8'))) : { passed: 0, failed: 0, skipped: 0 };
  return exitMismatch(counts, code);
}

/** Folders whose tests open pages. */
const inBrowser = new Set(['view']);
const elsewhere = new Set(['host', 'ui', 'fixtures']);
const hasTests = (folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.test.ts'));

export function vitestSuites() {
  const folders = readdirSync(inRoot('test'), { withFileTypes: true }).filter((entry) => entry.isDirectory() && !elsewhere.has(entry.name));
  return folders
    .filter(({ name }) => hasTests(inRoot('test', name)))
    .map(({ name }) => ({ name, title: `test/${name}`, needs: inBrowser.has(name) ? ['product', 'browser'] : ['product'], run: () => runVitest(`test/${name}`, { project: 'node' }) }));
}
