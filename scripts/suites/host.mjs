// The in-host suite: mocha inside the extension host of a real VS Code, opened in a browser as VS Code's own web tests do.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { inRoot, root } from '../lib/paths.mjs';
import { Problem } from '../lib/say.mjs';
import { exitMismatch } from './counts.mjs';

const limitMs = 10 * 60_000;
const tests = inRoot('dist-test/host/index.js');

/** An empty extension to develop, for the run in which the tested one is installed. */
function writeDriver(folder) {
  mkdirSync(folder);
  const manifest = { name: 'moire-test-driver', publisher: 'moire', version: '0.0.0', engines: { vscode: '*' }, extensionKind: ['workspace'] };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}

const shown = '[test] ';
const keptLines = 40;

/** The page calls these two when the smoke-test driver is on; the exit code alone is worth nothing, since a crash of the host gives 0. */
async function watchTests(page) {
  const log = [];
  let done;
  const end = new Promise((resolve) => {
    done = resolve;
  });
  const timer = setTimeout(() => done(`no end within ${limitMs / 60_000} minutes`), limitMs);
  await page.exposeFunction('codeAutomationLog', (_type, args) => {
    const line = args.join(' ');
    if (line.startsWith(shown)) process.stdout.write(`  ${line.slice(shown.length)}\n`);
    else log.push(line);
  });
  await page.exposeFunction('codeAutomationExit', (code) => done(code));
  page.on('crash', () => done('the page crashed'));
  return { end: end.finally(() => clearTimeout(timer)), tail: () => log.slice(-keptLines).join('\n') };
}

function readReport(file, ending, details) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  throw new Problem(`${details}\n\nThe extension host left no report (ending: ${ending}).`);
}

function countReport(report) {
  const count = (state) => report.tests.filter((test) => test.state === state).length;
  for (const test of report.tests.filter(({ state }) => state === 'failed')) process.stdout.write(`\nFAILED ${test.title}\n${test.error}\n`);
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** The extension must have been loaded from where this run put it. */
function demandOrigin(report, folder) {
  const from = report.extensionPath === '' ? 'nowhere' : realpathSync(report.extensionPath);
  if (!from.startsWith(realpathSync(folder))) throw new Error(`The tests ran against the extension from ${from}, not from ${folder}.`);
}

/** Runs the suite in the VS Code server; with a .vsix against the extension as installed from it. */
export async function runHostSuite(vsix) {
  const { launchBrowser } = await import('../lib/browser.mjs');
  const { startServer } = await import('../../tools/vscode-server/server.mjs');
  const { installVsix } = await import('../../tools/vscode-server/extensions.mjs');
  const scratch = mkdtempSync(path.join(tmpdir(), 'moire-host-'));
  const extensions = path.join(scratch, 'extensions');
  const workspace = path.join(scratch, 'samples');
  const report = path.join(scratch, 'report.json');
  cpSync(inRoot('samples'), workspace, { recursive: true });
  mkdirSync(extensions);
  if (vsix) installVsix(vsix, extensions);
  const developed = vsix ? writeDriver(path.join(scratch, 'driver')) : root;
  const server = await startServer({ folder: scratch, extensions, driver: true, env: { MOIRE_TEST_REPORT: report } });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const { end, tail } = await watchTests(page);
    const payload = [['extensionDevelopmentPath', server.uri(developed)], ['extensionTestsPath', server.uri(tests)]];
    await page.goto(server.url(workspace, payload));
    const ending = await end;
    if (!existsSync(report)) await page.screenshot({ path: inRoot('shots', 'host-failed.png') }).catch(() => {});
    const found = readReport(report, ending, [tail(), ...server.hostDeaths()].join('\n'));
    demandOrigin(found, vsix ? extensions : root);
    process.stdout.write(`VS Code ${found.vscode}, extension host on Node ${found.node}\n`);
    return exitMismatch(countReport(found), ending);
  } finally {
    await browser.close();
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The same suite in the desktop VS Code that VSCODE_BIN names. */
export async function runDesktopSuite() {
  const { runTests } = await import('@vscode/test-electron');
  const scratch = mkdtempSync(path.join(tmpdir(), 'moire-desktop-'));
  const report = path.join(scratch, 'report.json');
  const workspace = path.join(scratch, 'samples');
  cpSync(inRoot('samples'), workspace, { recursive: true });
  try {
    const launchArgs = [workspace, '--disable-extensions', '--disable-workspace-trust', '--no-sandbox', `--user-data-dir=${path.join(scratch, 'user')}`];
    const options = { vscodeExecutablePath: process.env.VSCODE_BIN, extensionDevelopmentPath: root, extensionTestsPath: tests, extensionTestsEnv: { MOIRE_TEST_REPORT: report }, launchArgs };
    const ending = await runTests(options).catch((error) => String(error));
    return exitMismatch(countReport(readReport(report, ending, '')), ending);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
