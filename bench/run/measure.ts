// A whole run: one child an engine, which take turns and never run at the same time.
import os from 'node:os';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LlamaCalls } from '../llamaChild';
import type { ModelFiles } from '../models/generate';
import type { GgufFormat } from '../models/gguf';
import { multiplyAdds } from '../models/tensors';
import type { MoireCalls } from '../moireChild';
import { rawFormat, rawVersion, type ModelRun, type Raw } from '../results/raw';
import { agreementOf } from './agreement';
import type { Child } from './child';
import { Started, type Contender } from './contender';
import type { LimitRates } from './limits';
import { context, prefill, widths, type Effort } from './plan';

export interface Setup {
  readonly effort: Effort;
  readonly isQuick: boolean;
  readonly models: readonly ModelFiles[];
  readonly moire: Child<MoireCalls>;
  /** One child a format; empty: Moire runs alone, for the reason `missing`. */
  readonly llamas: ReadonlyMap<GgufFormat, Child<LlamaCalls>>;
  readonly llamaPackage: string;
  readonly missing: string;
  readonly onProgress: (text: string) => void;
}

/** Between two turns, so that threads that spin a while after their work have gone to sleep. */
const settleMs = 60;

/** Threads of the columns: all cores, and one. */
const threadCounts = (all: number): number[] => (all > 1 ? [all, 1] : [1]);

class Run {
  private readonly limits = new Map<number, LimitRates[]>();
  private switches: Raw['moire']['switches'] = {};

  constructor(
    private readonly setup: Setup,
    private readonly threads: number,
  ) {}

  async models(): Promise<ModelRun[]> {
    const runs: ModelRun[] = [];
    for (const files of this.setup.models) runs.push(await this.model(files));
    return runs;
  }

  findings(): { limits: Raw['limits']; switches: Raw['moire']['switches'] } {
    return { limits: [...this.limits].map(([threads, rounds]) => ({ threads, rounds })), switches: this.switches };
  }

  private contenders(): Contender[] {
    const others = [...this.setup.llamas].map(([format, child]): Contender => ({ engine: 'llama', format, child }));
    return [{ engine: 'moire', format: 'mlx', child: this.setup.moire }, ...others];
  }

  private async model(files: ModelFiles): Promise<ModelRun> {
    const { moire, effort, onProgress } = this.setup;
    const { shape } = files;
    const { threads } = this;
    const started: Started[] = [];
    for (const contender of this.contenders()) started.push(await Started.load(contender, files));
    for (let round = 0; round < effort.rounds; round += 1) {
      onProgress(`${shape.name}: round ${round + 1} of ${effort.rounds}`);
      await this.round(round, started);
    }
    onProgress(`${shape.name}: capture, bisect, memory`);
    this.switches = await moire.call('switches', threads);
    const agreement = await agreementOf(started, threads);
    const profile = await moire.call('profile', { threads, rounds: effort.captures });
    const capture = await moire.call('capture', { threads, rounds: effort.captures });
    const bisect = effort.bisects === 0 ? null : await moire.call('bisect', { threads, rounds: effort.bisects });
    const stateBytes = await moire.call('stateBytes', context + 1);
    const arms = [];
    for (const one of started) arms.push(await one.finish(threads));
    return { name: shape.name, describes: shape.describes, multiplyAdds: multiplyAdds(shape), widths: [...widths], context, prefill, stateBytes, arms, agreement, profile, capture, bisect };
  }

  /** With one thread the first format of llama.cpp says enough. Every second round the other way round, so that no engine always runs on a machine that the other has warmed. */
  private async round(round: number, started: readonly Started[]): Promise<void> {
    const { effort, moire } = this.setup;
    const order = round % 2 === 0 ? started : [...started].reverse();
    for (const threads of threadCounts(this.threads)) {
      this.limits.set(threads, [...(this.limits.get(threads) ?? []), await moire.call('limits', threads)]);
      const wanted = threads === this.threads || effort.prefillAlone ? prefill : 0;
      for (const one of order.filter(({ contender }) => threads === this.threads || contender.format !== 'q4_1')) {
        await sleep(settleMs);
        await one.turn(round, { threads, context, decodes: effort.decodes, widths, blocks: effort.blocks, prefill: wanted });
      }
    }
  }
}

function machineOf(facts: Awaited<ReturnType<MoireCalls['facts']>>, isa: string): Raw['machine'] {
  const { name, features, cores } = facts.cpu;
  return { cpu: name, isa, features: [...features], cores, memoryBytes: os.totalmem(), system: `${os.type()} ${os.release()} ${os.arch()}`, node: process.versions.node };
}

/** Measures everything that the effort asks for. Throws an Error that names the engine that failed. */
export async function measure(setup: Setup): Promise<Raw> {
  const { effort, isQuick, moire, llamas, llamaPackage, missing, onProgress } = setup;
  const facts = await moire.call('facts', undefined);
  const [llama] = llamas.values();
  const threads = facts.cpu.cores;
  const run = new Run(setup, threads);
  const models = await run.models();
  onProgress('diff of two tensors');
  const diff = await moire.call('diff', { threads, rounds: effort.diffs });
  const { limits, switches } = run.findings();
  return {
    format: rawFormat,
    version: rawVersion,
    date: new Date().toISOString(),
    quick: isQuick,
    rounds: effort.rounds,
    threads,
    machine: machineOf(facts, String(switches['isa'] ?? '')),
    moire: { version: facts.version, git: facts.git, compiler: facts.compiler, switches },
    llama: llama === undefined ? null : { package: llamaPackage, ...(await llama.call('facts', undefined)) },
    llamaMissing: missing,
    limits,
    models,
    diff,
  };
}
