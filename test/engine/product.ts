// Paths of the built product, and its command line tool as a child process.
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');
export const sample = path.join(root, 'samples/target-4bit');
export const cliPath = path.join(root, 'dist/cli.js');
export const processPath = path.join(root, 'dist/engineProcess.js');
/** The library that the bundles load, so that all locations name the same one. */
export const library = path.join(root, 'dist/native', { win32: 'moire.dll', darwin: 'libmoire.dylib' }[process.platform as string] ?? 'libmoire.so');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function startCli(args: readonly string[], cwd = root): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [cliPath, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.stderr += part));
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...text }))) };
}

export function cli(...args: string[]): Promise<Ended> {
  return startCli(args).ended;
}
