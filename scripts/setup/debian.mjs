// System packages by apt, where we may install them.
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { runLogged } from '../lib/run.mjs';
import { has } from './toolchain.mjs';

export function onPath(...names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
}

/** The words before apt-get, or null where we may not install. */
function prefix() {
  if (onPath('apt-get') === undefined) return null;
  if (process.getuid?.() === 0) return [];
  return has('sudo', '-n', 'true') ? ['sudo', '-n'] : null;
}

export const mayInstall = () => prefix() !== null;

export async function aptInstall(packages, progress) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const words = prefix();
  const onLine = (line) => {
    const found = /^(Unpacking|Setting up) (\S+)/.exec(line);
    if (found) progress(`${found[1].toLowerCase()} ${found[2]}`);
  };
  progress('package lists');
  await runLogged('apt-update', [...words, 'apt-get', 'update'], { env });
  progress('downloading');
  await runLogged('apt-install', [...words, 'apt-get', 'install', '-y', '--no-install-recommends', ...packages], { env, onLine });
}
