// One life of a process of ours: fork, JSON-RPC over its IPC channel, and how it ended.
import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { CancellationToken, MessageConnection } from 'vscode-jsonrpc/node';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import { Problem } from '../shared/problem';

export interface ChildLog {
  info(line: string): void;
  warn(line: string): void;
}

export class RpcChild {
  /** How it ended, in words that follow "The engine process". */
  readonly ended: Promise<string>;
  alive = true;
  private readonly process: ChildProcess;
  private readonly connection: MessageConnection;
  private end: (how: string) => void = () => undefined;

  constructor(
    modulePath: string,
    private readonly log: ChildLog,
    /** In messages and in the log. */
    private readonly name: 'engine' | 'server' | 'log reader' = 'engine',
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    this.process = fork(modulePath, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [], env: childEnvironment() });
    this.process.once('exit', (code, signal) => this.finish(signal === null ? `ended with code ${code ?? 'unknown'}` : `was ended by ${signal}`));
    this.process.once('error', (error) => this.finish(`could not be started: ${error.message}`));
    this.forward(this.process.stderr, 'stderr');
    this.forward(this.process.stdout, 'stdout');
    this.connection = createMessageConnection(new IPCMessageReader(this.process), new IPCMessageWriter(this.process));
    // A write into a process that has just died fails; its end is told by `ended`.
    this.connection.onError(([error]) => log.warn(`${name} process: ${error.message}`));
    this.connection.listen();
    log.info(`${name} process ${this.process.pid ?? '?'} started`);
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Rejects with what the process says, or with a Problem when the process ends before it answers. */
  async request<R>(method: string, parameters: unknown, token?: CancellationToken): Promise<R> {
    // The cancel of a request that was cancelled before it was sent would not reach the process.
    if (token?.isCancellationRequested === true) throw new Problem({ kind: 'cancelled', title: 'The run was cancelled', place: '', action: '' });
    const answer = token === undefined ? this.connection.sendRequest<R>(method, parameters) : this.connection.sendRequest<R>(method, parameters, token);
    const gone = this.ended.then((how) => {
      throw new Problem({ kind: 'engine', title: `The ${this.name} process ${how}`, place: '', action: 'The next use starts it again' });
    });
    // A connection that closes rejects what is open in words of its own; why it closed is what counts.
    return Promise.race([gone, answer.catch((error: unknown) => (this.alive ? Promise.reject(error as Error) : gone))]);
  }

  /** What the process tells between request and answer. The listener says what it expects, as a request does of its answer. */
  on(notification: string, listener: (value: never) => void): { dispose(): void } {
    return this.connection.onNotification(notification, listener as (value: unknown) => void);
  }

  /** Ends the process at once. Callers hear of it now; the system may need a while to take back its memory. */
  kill(how: string): void {
    this.finish(how);
    this.process.kill('SIGKILL');
  }

  /** Lets the process end what it has open, and ends it when that takes longer. Resolves when it is gone; callers hear of it now. */
  async close(how: string, graceMs: number): Promise<void> {
    if (!this.alive) return;
    const gone = new Promise<void>((resolve) => this.process.once('exit', () => resolve()));
    this.finish(how);
    if (this.process.connected) this.process.disconnect();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), graceMs);
    await gone;
    clearTimeout(timer);
  }

  private finish(how: string): void {
    if (!this.alive) return;
    this.alive = false;
    this.log.info(`${this.name} process ${this.process.pid ?? '?'} ${how}`);
    this.end(how);
    this.connection.dispose();
  }

  private forward(stream: Readable | null, name: string): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) => this.log.warn(`${this.name} ${name}: ${line}`));
  }
}

/** The host's own process runs as Node, without the debugger's or the user's Node options. */
function childEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, VSCODE_INSPECTOR_OPTIONS: _inspector, ...rest } = process.env;
  return { ...rest, ELECTRON_RUN_AS_NODE: '1' };
}
