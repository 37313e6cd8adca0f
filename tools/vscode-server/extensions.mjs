// Puts an extension into a server's extensions folder: the working tree as a link, or a .vsix as users install it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { server } from './install.mjs';

/** @param {string} extension folder with its package.json @param {string} extensions folder */
export function linkExtension(extension, extensions) {
  const { publisher, name, version } = JSON.parse(readFileSync(path.join(extension, 'package.json'), 'utf8'));
  mkdirSync(extensions, { recursive: true });
  const link = path.join(extensions, `${publisher}.${name}-${version}`);
  rmSync(link, { force: true });
  symlinkSync(extension, link, 'dir');
}

/** @param {string} vsix @param {string} extensions folder */
export function installVsix(vsix, extensions) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'moire-install-'));
  const folders = ['--user-data-dir', path.join(scratch, 'user'), '--server-data-dir', path.join(scratch, 'server'), '--extensions-dir', extensions];
  try {
    const { stdout, stderr, status } = spawnSync(server.node, [server.main, '--accept-server-license-terms', ...folders, '--install-extension', vsix, '--force'], { encoding: 'utf8' });
    if (status !== 0 || !`${stdout}${stderr}`.includes('was successfully installed')) throw new Error(`${path.basename(vsix)} was not installed:\n${stdout}${stderr}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
