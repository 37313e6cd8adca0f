// An engine in a child of its own, and the file that it runs of a model.
import type { GgufFormat } from '../models/gguf';
import type { ModelFiles } from '../models/generate';
import type { Arm } from '../results/raw';
import type { Child } from './child';
import { besides } from './others';
import type { CommonCalls, Loaded } from './protocol';
import type { TurnPlan } from './turn';

export interface Contender {
  readonly engine: Arm['engine'];
  readonly format: 'mlx' | GgufFormat;
  readonly child: Child<CommonCalls>;
}

const pathOf = ({ format }: Contender, { mlx, gguf }: ModelFiles): string => (format === 'mlx' ? mlx : gguf[format]);

/** A contender with a model loaded, and its turns so far. */
export class Started {
  private readonly turns: Arm['turns'] = [];

  private constructor(
    readonly contender: Contender,
    readonly loaded: Loaded,
  ) {}

  static async load(contender: Contender, files: ModelFiles): Promise<Started> {
    return new Started(contender, await contender.child.call('load', pathOf(contender, files)));
  }

  async turn(round: number, plan: Omit<TurnPlan, 'vocab'>): Promise<void> {
    const { child } = this.contender;
    const { value, othersCores } = await besides(() => child.cpuMs, () => child.call('turn', { ...plan, vocab: this.loaded.vocab }));
    this.turns.push({ round, threads: plan.threads, othersCores, ...value });
  }

  /** The arm of the raw document; frees the model. */
  async finish(threads: number): Promise<Arm> {
    const { engine, format, child } = this.contender;
    const after = await child.call('memory', threads);
    const idle = await child.call('idle', threads);
    await child.call('unload', undefined);
    const { weightBytes, before } = this.loaded;
    return { engine, format, weightBytes, turns: this.turns, memory: { before, after }, idle };
  }
}
