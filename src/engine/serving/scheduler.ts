// Serves many requests with one model: prompts one after another in pieces, and between pieces a step of every batch. Requests wait in turn by client.
import { formatCount } from '../../shared/format';
import { badInput, cancelled } from '../problem';
import type { Drafter, Model, Switches } from '../types';
import type { ServedRound } from './captureLines';
import type { Captures } from './captures';
import { FairQueue } from './fairQueue';
import { Group, type Speculating } from './group';
import { PrefixCache, type CacheLimits } from './prefixCache';
import { PromptRun, type PromptSetting } from './promptRun';
import type { GenerateRequest, Outcome } from './request';
import { Served, type Listener } from './served';
import { decisionFor, type Decisions } from './servedGate';
import { Texts } from './texts';

export interface SchedulerOptions {
  readonly model: Model;
  readonly switches: Switches;
  /** Null: no speculation. */
  readonly speculation: { readonly drafter: Drafter; readonly width: number; readonly decisions: Promise<Decisions> } | null;
  /** Rows that run together. */
  readonly most: number;
  readonly pieceTokens: number;
  readonly cache: CacheLimits;
  /** Keeps the rounds of requests, null: nobody does. */
  readonly captures: Captures | null;
}

interface Waiting {
  readonly served: Served;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

export interface SchedulerState {
  readonly waiting: number;
  readonly running: number;
  readonly cachedPrefixes: number;
}

export class Scheduler {
  private readonly queue = new FairQueue<Waiting>();
  private readonly promises = new Map<Served, Waiting>();
  private readonly cache: PrefixCache;
  private readonly classic: Group;
  private readonly burst: Group;
  private readonly setting: PromptSetting;
  private prompt: PromptRun | null = null;
  /** Null while the gate runs; nobody waits for it. */
  private decisions: Decisions | null = null;
  private wake: (() => void) | null = null;
  private readonly stop = new AbortController();
  private readonly ended: Promise<void>;

  constructor(private readonly options: SchedulerOptions) {
    const { model, switches, pieceTokens, speculation } = options;
    this.cache = new PrefixCache(options.cache);
    const texts = new Texts(model);
    this.setting = { model, texts, switches, pieceTokens, cache: this.cache };
    const keep = async (served: Served, entry: () => Promise<Parameters<PrefixCache['add']>[0]>): Promise<void> => {
      // Where there is no memory for it, nothing is cached; the answer stands.
      const cached = served.request.cache && served.end?.end !== 'cancelled' ? await entry().catch(() => null) : null;
      if (cached !== null) this.cache.add(cached);
      this.finish(served);
    };
    const onRound = (served: Served, round: ServedRound): void => options.captures?.round(served, round);
    this.classic = new Group(texts, null, { onLeave: keep });
    this.burst = new Group(texts, speculation, { onLeave: keep, onRound });
    options.speculation?.decisions.then((found) => (this.decisions = found), () => (this.decisions = new Map()));
    this.ended = this.loop();
  }

  get state(): SchedulerState {
    return { waiting: this.queue.length, running: this.running, cachedPrefixes: this.cache.size };
  }

  /** Resolves when the request has ended, by its client's going too. Throws a Problem for a request that the model cannot take. */
  generate(request: GenerateRequest, listener: Listener): Promise<Outcome> {
    this.check(request);
    const served = new Served(this.options.model, request, listener);
    return new Promise((resolve, reject) => {
      const waiting = { served, resolve, reject };
      this.promises.set(served, waiting);
      this.queue.push(request.client, waiting);
      listener.signal.addEventListener('abort', () => this.wake?.(), { once: true });
      this.wake?.();
    });
  }

  /** Ends what runs; those requests fail as cancelled. */
  async close(): Promise<void> {
    this.stop.abort();
    this.wake?.();
    await this.ended;
  }

  private isStopped(): boolean {
    return this.stop.signal.aborted;
  }

  private get running(): number {
    return this.classic.size + this.burst.size + (this.prompt === null ? 0 : 1);
  }

  private check({ prompt, maxTokens }: GenerateRequest): void {
    const { info } = this.options.model;
    const beyond = prompt.findIndex((id) => id >= info.vocab);
    if (beyond >= 0) throw badInput(`Token id ${formatCount(prompt[beyond] ?? 0)} is beyond the vocabulary of ${formatCount(info.vocab)}`, `prompt, entry ${beyond}`, `Use ids from 0 to ${info.vocab - 1}.`);
    if (prompt.length + maxTokens <= info.context) return;
    const [shorterPrompt, fewerTokens] = [info.context - maxTokens, info.context - prompt.length];
    const ways = [...(shorterPrompt > 0 ? [`a prompt of at most ${formatCount(shorterPrompt)} tokens`] : []), ...(fewerTokens > 0 ? [`at most ${formatCount(fewerTokens)} new ones`] : [])];
    throw badInput(
      `The prompt of ${formatCount(prompt.length)} tokens and ${formatCount(maxTokens)} more are beyond the model's context of ${formatCount(info.context)}`,
      'max_tokens',
      ways.length === 0 ? 'Shorten both.' : `Use ${ways.join(', or ')}.`,
    );
  }

  private async loop(): Promise<void> {
    const { signal } = this.stop;
    while (!this.isStopped()) {
      this.dropGone();
      await this.guarded(() => this.advancePrompt(), () => (this.prompt === null ? [] : [this.prompt.served]), () => this.dropPrompt());
      for (const group of [this.classic, this.burst]) await this.guarded(() => group.step({ signal }), () => group.served, () => group.close());
      this.options.captures?.flush();
      if (this.running === 0 && this.queue.length === 0 && !this.isStopped()) await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = null;
    }
    this.dropPrompt();
    for (const group of [this.classic, this.burst]) group.close();
    this.cache.clear();
    for (const served of [...this.promises.keys()]) {
      served.cancel();
      this.finish(served, cancelled());
    }
    await this.options.captures?.close();
  }

  /** What fails ends the requests that were in it, not the others. */
  private async guarded(work: () => Promise<void>, concerned: () => readonly Served[], drop: () => void): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failed = [...concerned()];
      drop();
      // What a stop broke off was cancelled, whatever it says.
      for (const served of failed) {
        if (this.isStopped()) served.cancel();
        this.finish(served, this.isStopped() ? cancelled() : error);
      }
    }
  }

  private finish(served: Served, error?: unknown): void {
    this.options.captures?.end(served);
    const waiting = this.promises.get(served);
    this.promises.delete(served);
    if (error === undefined) waiting?.resolve(served.outcome());
    else waiting?.reject(error);
  }

  private dropGone(): void {
    for (const { served } of this.queue.remove(({ served: { signal } }) => signal.aborted)) {
      served.dropIfGone();
      this.finish(served);
    }
  }

  private async advancePrompt(): Promise<void> {
    const { signal } = this.stop;
    const whole = this.prompt === null && (await this.nextPrompt());
    if (this.prompt === null) return;
    const done = whole || (await this.prompt.piece({ signal }));
    const { served } = this.prompt;
    served.dropIfGone();
    if (served.end !== null) {
      this.dropPrompt();
      this.finish(served);
    } else if (done) {
      await (served.speculation.engaged ? this.burst : this.classic).add(this.prompt.ready(), { signal });
      this.prompt = null;
    }
  }

  /** Takes up the prompt of the next request; gives true when nothing of it is left to run. */
  private async nextPrompt(): Promise<boolean> {
    const next = this.running < this.options.most ? this.queue.shift() : undefined;
    if (next === undefined) return false;
    const { served } = next;
    served.at.taken = performance.now();
    const speculating = this.speculationFor(served);
    try {
      const { run, whole } = await PromptRun.start(this.setting, served, speculating, { signal: this.stop.signal });
      this.prompt = run;
      return whole;
    } catch (error) {
      this.finish(served, error);
      return false;
    }
  }

  private speculationFor(served: Served): Speculating | null {
    const { speculation, model } = this.options;
    const { request } = served;
    const declined = (reason: string): null => {
      served.speculation = { ...served.speculation, reason };
      return null;
    };
    if (speculation === null) return declined('there is no drafter');
    if (!request.speculate) return declined('the request asked for none');
    const { width, drafter } = speculation;
    if (this.decisions === null) return declined('the exactness gate is still at work');
    const { engaged, reason } = decisionFor(this.decisions, this.burst.size + 1);
    if (!engaged) return declined(reason);
    if (request.prompt.length + request.maxTokens + width > model.info.context) return declined(`a block of ${width} rows does not fit behind prompt and max_tokens in the context of ${formatCount(model.info.context)}`);
    served.speculation = { ...served.speculation, engaged: true, reason, width };
    return { drafter, width };
  }

  private dropPrompt(): void {
    this.prompt?.close();
    this.prompt = null;
  }
}
