// Probe "bisect": block against chain, for every width on every source. Knows no engine, only its interfaces.
import { greatest } from '../../shared/extremes';
import type { BisectExperiment } from '../../shared/experiment';
import type { BisectRun } from '../../shared/report';
import { cancelled, throwIfCancelled } from '../problem';
import type { Engine, Model, Session, Switches } from '../types';
import { namesOf } from './arms';
import { compareBlockAgainstChain, type Bases, type Compared, type Context } from './bisectCompare';
import { sourcesOf, type Source } from './bisectPlan';
import { checkSwitches } from './checkSwitches';
import { Pace } from './pace';
import type { ProbeCall } from './probe';
import { Stopwatch } from './probe';
import { ordersText, otherOrder } from './reductionOrders';

/** What the probe has found so far; the same shape when it is done. */
export interface BisectFindings {
  /** By width, then source, as the experiment lists them. */
  readonly runs: readonly BisectRun[];
  readonly planned: number;
  readonly switches: Switches;
  /** At most so many, as the switch says. */
  readonly threads: number;
  /** So many in this run. */
  readonly threadsUsed: number;
  /** What the engine did otherwise than asked. */
  readonly notes: readonly string[];
  readonly isa: string;
  readonly kernelsA: readonly string[];
  readonly kernelsB: readonly string[];
  readonly tensorsCompared: number;
  readonly missingTaps: readonly string[];
  readonly cost: Readonly<Record<string, number>>;
}

export interface BisectCall extends ProbeCall {
  /** After every comparison and now and then within one, with what stands so far. */
  readonly onFindings?: ((findings: BisectFindings) => Promise<void>) | undefined;
  /** Within a comparison not more often than this; 0: after every token. */
  readonly tellEveryMs?: number | undefined;
}

/** Ends a bisect early; what was found stands in `findings`. */
export class BisectStopped extends Error {
  constructor(
    readonly findings: BisectFindings,
    override readonly cause: unknown,
  ) {
    super('the bisect ended early');
    this.name = 'BisectStopped';
  }
}


class Bisect {
  private readonly found = new Map<string, Compared>();
  /** The comparison under way, as far as it is. */
  private soFar: { readonly key: string; readonly compared: () => Compared } | null = null;
  private readonly pace: Pace;
  private readonly watch = new Stopwatch();
  private readonly widths: readonly number[];
  private sources: readonly Source[] = [];
  private switches: Switches = {};
  private notes: readonly string[] = [];
  private done = 0;
  private total = 0;

  constructor(
    private readonly engine: Engine,
    private readonly model: Model,
    private readonly experiment: BisectExperiment,
    private readonly call: BisectCall,
  ) {
    this.widths = [...new Set(experiment.widths)];
    this.pace = new Pace(call.tellEveryMs);
  }

  async run(): Promise<BisectFindings> {
    checkSwitches(this.experiment.switches, this.model.info);
    this.sources = await sourcesOf(this.model, this.experiment, this.call.signal);
    this.total = this.sources.reduce((sum, { tokens }) => sum + this.widths.reduce((all, width) => all + tokens(width), 0), 0);
    try {
      for (const source of this.sources) await this.source(source);
      return this.findings();
    } catch (error) {
      throw new BisectStopped(this.findings(), this.call.signal?.aborted === true ? cancelled() : error);
    }
  }

  private progress(text: string, more = 0): void {
    this.call.onProgress?.({ text, done: this.done + more, total: this.total });
  }

  private async source(source: Source): Promise<void> {
    const open: Session[] = [];
    try {
      this.progress(`${source.name} · prefill of ${source.promptIds.length} tokens`);
      const { bases, following } = await this.prefill(source, open);
      for (const width of this.widths) await this.comparison(source, width, bases, following.slice(0, source.tokens(width)));
    } finally {
      for (const session of open) session.close();
    }
  }

  private async prefill(source: Source, open: Session[]): Promise<{ bases: Bases; following: readonly number[] }> {
    const { signal } = this.call;
    const start = async (switches: Switches): Promise<{ session: Session; next: number }> => {
      throwIfCancelled(signal);
      const session = await this.model.open(switches, { signal });
      open.push(session);
      const step = await this.watch.time('prefill', session.prefill(source.promptIds, { signal }));
      const next = step.top[0]?.[0]?.id ?? 0;
      step.close();
      return { session, next };
    };
    const { session: base, next } = await start(this.experiment.switches);
    this.switches = base.switches;
    this.notes = base.notes;
    const order = otherOrder(this.model.info, base.switches);
    const other = order === null ? null : (await start(order.switches)).session;
    const following = source.following ?? (await this.continuation(base, next, greatest(this.widths.map(source.tokens))));
    return { bases: { base, other, orders: ordersText(order) }, following };
  }

  /** Greedy tokens of arm A after the prompt, `length` of them. */
  private async continuation(base: Session, next: number, length: number): Promise<number[]> {
    const { signal } = this.call;
    const session = await base.fork({ signal });
    const ids = [next];
    try {
      while (ids.length < length) {
        throwIfCancelled(signal);
        const step = await this.watch.time('continuation', session.decode([ids.at(-1) ?? next], { signal }));
        ids.push(step.top[0]?.[0]?.id ?? 0);
        step.close();
      }
    } finally {
      session.close();
    }
    return ids;
  }

  private async comparison(source: Source, width: number, bases: Bases, blockIds: readonly number[]): Promise<void> {
    const name = `width ${width} · ${source.name}`;
    const key = keyOf(width, source);
    const context: Context = {
      engine: this.engine,
      model: this.model,
      watch: this.watch,
      call: { signal: this.call.signal },
      onPosition: async (position, compared) => {
        this.progress(`${name} · token ${position} of ${blockIds.length}`, position);
        this.soFar = { key, compared };
        if (position < blockIds.length) await this.pace.offer(() => this.tell());
      },
    };
    const { kind, draw, promptIds } = source;
    this.progress(name);
    const compared = await compareBlockAgainstChain(context, bases, { label: name, width, source: kind, draw, promptIds, blockIds });
    this.found.set(key, compared);
    this.soFar = null;
    this.done += blockIds.length;
    await this.tell();
  }

  private async tell(): Promise<void> {
    await this.call.onFindings?.(this.findings());
  }

  private comparedAs(key: string): Compared | undefined {
    return this.soFar?.key === key ? this.soFar.compared() : this.found.get(key);
  }

  private findings(): BisectFindings {
    const compared = this.widths.flatMap((width) => this.sources.map((source) => this.comparedAs(keyOf(width, source)))).filter((one) => one !== undefined);
    return {
      runs: compared.map(({ run }) => run),
      planned: this.widths.length * this.sources.length,
      switches: this.switches,
      threads: Number(this.switches['threads'] ?? compared[0]?.threads ?? 0),
      threadsUsed: compared[0]?.threads ?? 0,
      notes: this.notes,
      isa: compared[0]?.isa ?? '',
      kernelsA: namesOf(compared.flatMap(({ kernelsA }) => [...kernelsA])),
      kernelsB: namesOf(compared.flatMap(({ kernelsB }) => [...kernelsB])),
      tensorsCompared: compared.reduce((sum, one) => sum + one.tensorsCompared, 0),
      missingTaps: compared[0]?.missingTaps ?? [],
      cost: this.watch.cost,
    };
  }
}

const keyOf = (width: number, { name }: Source): string => `${width} ${name}`;

/**
 * Runs the experiment on a loaded model.
 * Throws a Problem before any work for input that the model cannot take, and BisectStopped with what was found when it is cancelled or an engine call fails.
 */
export function bisect(engine: Engine, model: Model, experiment: BisectExperiment, call: BisectCall = {}): Promise<BisectFindings> {
  return new Bisect(engine, model, experiment, call).run();
}
