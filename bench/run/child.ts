// The parent's end of a child: calls by name, one at a time.
import { fork, type ChildProcess } from 'node:child_process';
import type { Message, Reply } from './protocol';

type Argument<F> = F extends (argument: infer A) => Promise<unknown> ? A : undefined;
type Result<F> = F extends (argument: never) => Promise<infer R> ? R : never;

export class Child<Calls extends object> {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private last = 0;
  private ended = '';
  /** Processor time of all calls so far, in ms. */
  cpuMs = 0;

  constructor(
    private readonly name: string,
    script: string,
    args: readonly string[],
  ) {
    this.child = fork(script, [...args], { execArgv: ['--expose-gc'], serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.child.on('message', (reply: Reply) => {
      this.waiting.get(reply.id)?.(reply);
      this.waiting.delete(reply.id);
    });
    this.child.on('exit', (code, signal) => this.fail(signal === null ? `it ended with code ${code ?? 0}` : `it was ended by ${signal}`));
    this.child.on('error', (error) => this.fail(error.message));
  }

  /** Throws an Error that names the engine and what went wrong. */
  async call<Name extends keyof Calls & string>(call: Name, argument: Argument<Calls[Name]>): Promise<Result<Calls[Name]>> {
    this.last += 1;
    const message: Message = { id: this.last, call, argument };
    const reply = await new Promise<Reply>((resolve) => {
      if (this.ended !== '') return resolve({ id: message.id, error: this.ended, cpuMs: 0 });
      this.waiting.set(message.id, resolve);
      this.child.send(message);
    });
    this.cpuMs += reply.cpuMs;
    if (reply.error !== undefined) throw new Error(`${this.name}: ${reply.error}`);
    return reply.value as Result<Calls[Name]>;
  }

  /** Resolves when the process is gone. */
  async close(): Promise<void> {
    if (this.ended !== '') return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.disconnect();
    await gone;
  }

  private fail(why: string): void {
    this.ended = why;
    for (const [id, resolve] of this.waiting) resolve({ id, error: why, cpuMs: 0 });
    this.waiting.clear();
  }
}

