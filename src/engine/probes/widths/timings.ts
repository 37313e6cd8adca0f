// Gathers the passes of a sweep. Every repeat opens and closes with classic decode; a second classic arm among the widths shows what the clock can resolve.
import type { Phases, SweepTimings } from '../../../shared/results/widths';
import type { Pass } from './pass';

/** Significant digits of a rate. */
const rounded = (value: number): number => Number(value.toPrecision(5));

export const rateOf = ({ ids, ms }: Pass): number => (1000 * ids.reduce((sum, { length }) => sum + length, 0)) / Math.max(ms, 1e-6);

interface Timed {
  readonly name: string;
  readonly width: number;
  readonly rates: number[];
  readonly against: number[];
  readonly phases: Phases[];
}

export class Timings {
  private readonly open: number[] = [];
  private readonly close: number[] = [];
  private readonly arms = new Map<string, Timed>();

  addOpen(pass: Pass): void {
    this.open.push(rateOf(pass));
  }

  addClose(pass: Pass): void {
    this.close.push(rateOf(pass));
  }

  /** Of the repeat whose opening pass was added last. */
  add(name: string, width: number, pass: Pass): void {
    const arm = this.arms.get(name) ?? { name, width, rates: [], against: [], phases: [] };
    this.arms.set(name, arm);
    arm.rates.push(rateOf(pass));
    arm.against.push(rateOf(pass) / (this.open.at(-1) ?? NaN));
    arm.phases.push(pass.phases);
  }

  finish(): SweepTimings {
    const arms = [...this.arms.values()].sort((a, b) => a.width - b.width || (a.name < b.name ? -1 : 1));
    return {
      open: this.open.map(rounded),
      close: this.close.map(rounded),
      arms: arms.map(({ name, width, rates, against, phases }) => ({ name, width, tokensPerSecond: rates.map(rounded), againstClassic: against.map(rounded), phases: mean(phases) })),
    };
  }
}

function mean(all: readonly Phases[]): Phases {
  const of = (phase: keyof Phases): number => rounded(all.reduce((sum, one) => sum + one[phase], 0) / Math.max(1, all.length));
  return { prefill: of('prefill'), draft: of('draft'), verify: of('verify'), accept: of('accept'), rewind: of('rewind'), decode: of('decode') };
}
