// Opens VS Code with the extension of the working tree: the installed one if it is new enough, else one in the browser.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { linkExtension } from '../../tools/vscode-server/extensions.mjs';
import { startServer } from '../../tools/vscode-server/server.mjs';
import { serverPlatform, setUpServer } from '../setup/index.mjs';
import { inRoot, root, stateFolder } from './paths.mjs';
import { Problem } from './say.mjs';

/** Opens the report when the extension that shows it is known. */
const opener = inRoot('tools', 'vscode-server', 'opener');

const oldest = [1, 104];
const windows = process.platform === 'win32';

/** @returns {{ command: string, version: string } | null} an installed VS Code that can run the extension */
function installedCode() {
  for (const command of ['code', 'code-insiders']) {
    const { stdout, status } = spawnSync(command, ['--version'], { encoding: 'utf8', shell: windows });
    const [version = ''] = (stdout ?? '').split('\n');
    const [major, minor] = version.split('.').map(Number);
    if (status === 0 && (major > oldest[0] || (major === oldest[0] && minor >= oldest[1]))) return { command, version };
  }
  return null;
}

function openInstalled(ui, { command, version }, folder, report) {
  ui.line(`Opening it in VS Code ${version}.`);
  const args = ['--new-window', ...[root, opener].map((extension) => `--extensionDevelopmentPath=${extension}`), folder];
  spawn(command, args, { stdio: 'ignore', detached: true, shell: windows, env: { ...process.env, MOIRE_OPEN_REPORT: report } }).unref();
}

const interrupted = () => new Promise((resolve) => ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.once(signal, resolve)));

async function openInBrowser(ui, folder, report) {
  if (!serverPlatform) throw new Problem('VS Code 1.104 or newer was not found on the path (command `code`). Install it, then open the report with the extension: npm start.');
  await setUpServer(ui);
  const home = path.join(stateFolder, 'editor');
  const extensions = path.join(home, 'extensions');
  // Only links stand there. The server keeps a list of them, and does not see one that is added beside an old list.
  rmSync(extensions, { recursive: true, force: true });
  for (const extension of [root, opener]) linkExtension(extension, extensions);
  const server = await startServer({ folder: home, extensions, token: true, env: { MOIRE_OPEN_REPORT: report } });
  ui.line(`\nVS Code runs in the browser, on this machine only:\n\n  ${server.url(folder)}\n\nCtrl+C ends it.`);
  await Promise.race([interrupted(), server.ended]);
  await server.stop();
}

/** Opens a folder and a report, and stays until the user ends it where VS Code runs in the browser. */
export async function openEditor(ui, folder, report) {
  const installed = installedCode();
  if (installed === null) await openInBrowser(ui, folder, report);
  else openInstalled(ui, installed, folder, report);
}
