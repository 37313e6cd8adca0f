// Starting commands: with their output in a log and the tail of it shown on failure, or with their output as it comes.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { logFolder, relative, root } from './paths.mjs';
import { Problem } from './say.mjs';

const tailLines = 40;

/** Resolves with the exit code, or the signal's name; -1 when the command is not there. */
function ended(child) {
  return new Promise((resolve) => {
    child.on('error', () => resolve(-1));
    child.on('close', (code, signal) => resolve(signal ?? code));
  });
}

function tail(file) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.slice(-tailLines).join('\n');
}

/**
 * Runs a command with its output in .moire/logs/<name>.log.
 * @param {string} name of the log
 * @param {readonly [string, ...string[]]} command
 * @param {{ cwd?: string, env?: Record<string, string>, onLine?: (line: string) => boolean | void }} [options] a line for which onLine gives false is not logged
 */
export async function runLogged(name, [command, ...args], { cwd = root, env = {}, onLine = () => {} } = {}) {
  mkdirSync(logFolder, { recursive: true });
  const file = path.join(logFolder, `${name}.log`);
  const log = createWriteStream(file);
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (onLine(line) !== false) log.write(`${line}\n`);
    });
  }
  const code = await ended(child);
  await new Promise((resolve) => log.end(resolve));
  if (code === -1) throw new Problem(`${command} was not found. Install it and try again.`);
  if (code !== 0) throw new Problem(`${tail(file)}\n\n${[command, ...args].join(' ')} in ${relative(cwd)} failed (${code}). Its whole output: ${relative(file)}`);
}

/**
 * Runs a command whose output the user sees as it comes; `onLine` sees it too. Resolves with the exit code.
 * @param {readonly [string, ...string[]]} command
 * @param {{ cwd?: string, env?: Record<string, string>, onLine?: (line: string) => void }} [options]
 */
export async function runShown([command, ...args], { cwd = root, env = {}, onLine } = {}) {
  const stdio = onLine ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'];
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio });
  if (onLine) {
    child.stdout.pipe(process.stdout, { end: false });
    child.stderr.pipe(process.stderr, { end: false });
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
  }
  return ended(child);
}

/** npm as [command, ...args]: through Node where npm started us, so that it also works where npm is a script. */
export function npm(...args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? [process.execPath, cli, ...args] : ['npm', ...args];
}
