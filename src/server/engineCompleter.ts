// The engine in a process of its own. When it ends, requests that run fail, new ones are refused, and it is started again.
import { setTimeout as pause } from 'node:timers/promises';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { RpcChild, type ChildLog } from '../child/rpcChild';
import type { Delta, Emitted, GenerateRequest, Outcome } from '../engine/serving/request';
import type { ServeOptions } from '../engine/serving/options';
import { formatCount } from '../shared/format';
import { asProblem, Problem, sentenceOf } from '../shared/problem';
import { serving, type Numbered } from '../shared/servingProtocol';
import type { Completer, GenerateCall, ServedFacts, ServedState } from './completer';

export interface EngineStart {
  /** The module of the engine process. */
  readonly modulePath: string;
  readonly library: string;
  readonly options: ServeOptions;
  readonly log: ChildLog;
}

/** What it has to answer at once, whatever it computes. A process that was stopped, or is out of memory, never does. */
const stateMs = 5000;
/** To write what was captured. */
const graceMs = 2000;
/** Pauses before the first and later attempts to start it again, in milliseconds. */
const pauses = [0, 200, 1000, 5000, 15_000];

export class EngineCompleter implements Completer {
  away: string | null = null;
  private readonly calls = new Map<number, GenerateCall>();
  private numbers = 0;
  private readonly stop = new AbortController();
  private tellAway: (away: string | null) => void = () => undefined;

  private constructor(
    private readonly its: EngineStart,
    readonly facts: ServedFacts,
    private child: RpcChild,
  ) {
    this.watch(child);
  }

  /** Throws a Problem for what cannot be served. */
  static async start(its: EngineStart): Promise<EngineCompleter> {
    const { child, facts } = await begin(its);
    return new EngineCompleter(its, facts, child);
  }

  /** Of the engine process, for those who want to end it. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Hears of the engine's going away, with the reason, and of its return, with null. */
  onAway(listener: (away: string | null) => void): void {
    this.tellAway = listener;
  }

  tokenize(text: string, special: boolean): Promise<number[]> {
    return this.request(serving.tokenize, { text, special });
  }

  detokenize(ids: readonly number[], skipSpecial: boolean): Promise<{ text: string; pieces: string[] }> {
    return this.request(serving.detokenize, { ids, skipSpecial });
  }

  chat(messages: readonly { role: string; content: string }[], variables: Readonly<Record<string, unknown>>): Promise<{ text: string; ids: number[] }> {
    return this.request(serving.chat, { messages, variables });
  }

  async state(): Promise<ServedState> {
    const waited = new AbortController();
    const late = pause(stateMs, undefined, { signal: waited.signal }).then(() => {
      throw new Problem({ kind: 'environment', title: `The engine process ${this.pid ?? ''} does not answer within ${formatCount(stateMs)} ms`, place: '', action: 'See whether it was stopped or the machine is out of memory' });
    });
    try {
      return await Promise.race([this.request<ServedState>(serving.state, null), late]);
    } finally {
      late.catch(() => undefined);
      waited.abort();
    }
  }

  async generate(request: GenerateRequest, call: GenerateCall): Promise<Outcome> {
    const number = (this.numbers += 1);
    const source = new CancellationTokenSource();
    const cancel = (): void => source.cancel();
    this.calls.set(number, call);
    call.signal.addEventListener('abort', cancel, { once: true });
    if (call.signal.aborted) cancel();
    try {
      return await this.request<Outcome>(serving.generate, { request: number, value: request } satisfies Numbered<GenerateRequest>, source);
    } finally {
      this.calls.delete(number);
      call.signal.removeEventListener('abort', cancel);
      source.dispose();
    }
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.child.close('was stopped', graceMs);
  }

  private async request<R>(method: string, parameters: unknown, source?: CancellationTokenSource): Promise<R> {
    if (this.away !== null) throw new Problem({ kind: 'environment', title: this.away, place: '', action: 'Try again in a moment' });
    try {
      return await this.child.request<R>(method, parameters, source?.token);
    } catch (error) {
      throw asProblem(error);
    }
  }

  private watch(child: RpcChild): void {
    child.on(serving.delta, ({ request, value }: Numbered<Delta>) => this.calls.get(request)?.onDelta(value));
    child.on(serving.promptTokens, ({ request, value }: Numbered<readonly Emitted[]>) => this.calls.get(request)?.onPrompt(value));
    void child.ended.then((how) => this.restart(how));
  }

  private async restart(how: string): Promise<void> {
    if (this.isClosed()) return;
    this.setAway(`The engine process ${how} and is started again.`);
    for (let attempt = 0; !this.isClosed(); attempt += 1) {
      await pause(pauses[Math.min(attempt, pauses.length - 1)], undefined, { signal: this.stop.signal }).catch(() => undefined);
      if (this.isClosed()) return;
      try {
        const child = await this.again();
        this.child = child;
        this.watch(child);
        this.setAway(null);
        return;
      } catch (error) {
        if (this.isClosed()) return;
        this.setAway(`The engine process ${how}, and could not be started again: ${sentenceOf(asProblem(error).data)}`);
      }
    }
  }

  /** Another start of the same model: clients were told of no other. */
  private async again(): Promise<RpcChild> {
    const { child, facts } = await begin({ ...this.its, options: { ...this.its.options, resumed: true } }, this.stop.signal);
    if (facts.fingerprint === this.facts.fingerprint) return child;
    child.kill('found another model');
    throw new Problem({ kind: 'input', title: 'The model folder holds another model than when this run began', place: facts.path, action: 'Start the run again' });
  }

  private setAway(away: string | null): void {
    this.away = away;
    if (away !== null) this.its.log.warn(away);
    this.tellAway(away);
  }

  private isClosed(): boolean {
    return this.stop.signal.aborted;
  }
}

async function begin({ modulePath, library, options, log }: EngineStart, signal?: AbortSignal): Promise<{ child: RpcChild; facts: ServedFacts }> {
  const child = new RpcChild(modulePath, log);
  const give = (): void => child.kill('is no longer wanted');
  signal?.addEventListener('abort', give, { once: true });
  try {
    return { child, facts: await child.request<ServedFacts>(serving.start, { library, options }) };
  } catch (error) {
    child.kill('could not serve the model');
    throw asProblem(error);
  } finally {
    signal?.removeEventListener('abort', give);
  }
}
