// The command `moire serve` as users start it: a process with an engine process of its own, on a free port of loopback.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import OpenAI from 'openai';
import { root, sample } from '../product';

export interface Serving {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly client: OpenAI;
  readonly output: () => string;
  readonly stop: () => Promise<number | null>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export const startServing = (...args: string[]): Promise<Serving> => startModel(sample, ...args);

export async function startModel(model: string, ...args: string[]): Promise<Serving> {
  const child = spawn(process.execPath, [path.join(root, 'dist/cli.js'), 'serve', model, '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  const heard = (found: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = found.exec(output)?.[1];
        if (match !== undefined) resolve(match);
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
      child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)));
      look();
    });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const url = await heard(/^Serving .* at (http\S+)/m);
  const token = args.includes('--no-token') ? '' : await heard(/^Token: (\S+)/m);
  // Requests do not wait for the gate; tests of speculation do.
  await heard(/^(Speculation): /m);
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    running.delete(child);
    return child.exitCode;
  };
  return { pid: child.pid ?? 0, url, token, client: new OpenAI({ baseURL: `${url}/v1`, apiKey: token || 'none', maxRetries: 0 }), output: () => output, stop };
}

/** A request without a client that minds what it sends. */
export async function raw(serving: Serving, method: string, at: string, body?: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string; headers: Headers }> {
  const response = await fetch(`${serving.url}${at}`, { method, headers: { authorization: `Bearer ${serving.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers }, ...(body === undefined ? {} : { body }) });
  return { status: response.status, body: await response.text(), headers: response.headers };
}
