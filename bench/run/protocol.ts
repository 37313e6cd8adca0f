// What the bench asks of its two children, and how. Each engine has a process of its own, so that they share no cache, no thread and no fault.
import process from 'node:process';
import type { TurnPlan, TurnTimes } from './turn';

/** Cost of an answer in processor time of the child, which tells what other programs used meanwhile. */
export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
  readonly cpuMs: number;
}

export interface Message {
  readonly id: number;
  readonly call: string;
  readonly argument: unknown;
}

/** Resident memory in bytes. `anonymous` is what was allocated, `file` what is mapped from files; both null where the system does not tell. */
export interface Memory {
  readonly resident: number;
  readonly anonymous: number | null;
  readonly file: number | null;
}

export interface Loaded {
  readonly weightBytes: number;
  readonly vocab: number;
  /** Before the model was loaded. */
  readonly before: Memory;
}

/** Processor time of a while without work, both in ms. */
export interface Idle {
  readonly cpuMs: number;
  readonly ms: number;
}

/** Calls that both children answer. */
export interface CommonCalls {
  load(path: string): Promise<Loaded>;
  unload(): Promise<void>;
  turn(plan: TurnPlan): Promise<TurnTimes>;
  /** Logits after a prefill of so many tokens. */
  logits(question: { readonly tokens: number; readonly vocab: number; readonly threads: number }): Promise<Float32Array>;
  memory(threads: number): Promise<Memory>;
  /** With a sequence open and its threads at rest. */
  idle(threads: number): Promise<Idle>;
}

export type Handlers<Calls> = { readonly [Name in keyof Calls]: Calls[Name] };

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Answers the parent's calls until it goes away. */
export function serve<Calls extends object>(handlers: Handlers<Calls>): void {
  const byName = new Map(Object.entries(handlers)) as Map<string, (argument: unknown) => Promise<unknown>>;
  const answer = async ({ id, call, argument }: Message): Promise<void> => {
    const start = cpuMs();
    const reply = await attempt(byName.get(call), call, argument);
    process.send?.({ id, ...reply, cpuMs: cpuMs() - start } satisfies Reply);
  };
  process.on('message', (message: Message) => void answer(message));
  process.on('disconnect', () => process.exit());
}

async function attempt(handler: ((argument: unknown) => Promise<unknown>) | undefined, call: string, argument: unknown): Promise<Pick<Reply, 'value' | 'error'>> {
  try {
    if (handler === undefined) throw new Error(`no such call: ${call}`);
    return { value: await handler(argument) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
