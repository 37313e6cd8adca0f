// `moire serve` as users start it, for the bench: started, asked over HTTP, watched, ended.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

export interface Timed {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly tokens: number;
}

interface Chunk {
  readonly choices?: readonly { readonly token_ids?: readonly number[] }[];
  readonly error?: { readonly message: string };
}

export class Server {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** From the start of the process to the first answer of its port. */
    readonly startMs: number,
  ) {}

  static async start(root: string, model: string, args: readonly string[]): Promise<Server> {
    const began = performance.now();
    const child = spawn(process.execPath, [path.join(root, 'dist/cli.js'), 'serve', model, '--port', '0', '--no-token', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    process.once('exit', () => child.kill('SIGKILL'));
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (data: Buffer) => {
        output += data.toString();
        const found = /^Serving .* at (http\S+)/m.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', (code) => reject(new Error(`moire serve ended with ${code ?? 'a signal'}: ${output}`)));
    });
    await fetch(`${url}/health`);
    return new Server(child, url, performance.now() - began);
  }

  /** The gate of a run with a drafter is through. */
  async settled(): Promise<void> {
    for (;;) {
      const { gate } = (await (await fetch(`${this.url}/health`)).json()) as { gate: unknown };
      if (gate !== null) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** A streamed completion. Resolves with what was measured, also when `signal` ended it. */
  async complete(body: object, signal?: AbortSignal): Promise<Timed> {
    const began = performance.now();
    let first = 0;
    let tokens = 0;
    try {
      const response = await fetch(`${this.url}/v1/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ...body, stream: true, return_token_ids: true }), signal: signal ?? null });
      for await (const event of eventsOf(response)) {
        const chunk = JSON.parse(event) as Chunk;
        if (chunk.error !== undefined) throw new Error(chunk.error.message);
        const more = chunk.choices?.[0]?.token_ids?.length ?? 0;
        if (more > 0 && tokens === 0) first = performance.now() - began;
        tokens += more;
      }
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
    return { firstMs: first, wholeMs: performance.now() - began, tokens };
  }

  async state(): Promise<{ waiting: number; running: number }> {
    return (await (await fetch(`${this.url}/health`)).json()) as { waiting: number; running: number };
  }

  /** Milliseconds from the end of the engine process to the first answer after it. */
  async killEngine(body: object): Promise<number> {
    const [engine] = childrenOf(this.child.pid ?? 0);
    if (engine === undefined) throw new Error('the engine process was not found');
    const began = performance.now();
    process.kill(engine, 'SIGKILL');
    for (;;) {
      const response = await fetch(`${this.url}/v1/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }).catch(() => null);
      await response?.text();
      if (response?.status === 200) return performance.now() - began;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Resident bytes of the server and of its engine process, without what is mapped from files. */
  memory(): { server: number; engine: number } {
    const pid = this.child.pid ?? 0;
    return { server: anonymousBytes(pid), engine: childrenOf(pid).reduce((sum, child) => sum + anonymousBytes(child), 0) };
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGINT');
    await once(this.child, 'exit');
  }
}

async function* eventsOf(response: Response): AsyncGenerator<string> {
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status}: ${await response.text()}`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))?.slice('data: '.length) ?? '';
      if (data !== '' && data !== '[DONE]') yield data;
    }
  }
}

function anonymousBytes(pid: number): number {
  const found = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(found ?? 0) * 1024;
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        // Fields after the name in brackets: state, parent.
        return Number(readFileSync(`/proc/${child}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === pid;
      } catch {
        return false;
      }
    });
}
