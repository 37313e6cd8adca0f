// A width sweep as a chart reads it: an arm a column, its repeats against the classic pass of the same repeat.
import { max, min, rollup } from 'd3-array';
import type { ReportOf } from '../../shared/report';
import type { VerdictWord } from '../../shared/verdictWord';

export interface SweepArm {
  readonly label: string;
  /** Throughput of each repeat, as a multiple of classic decode. */
  readonly against: readonly number[];
  readonly tokensPerSecond: readonly number[];
  /** Null for classic decode, which drafts nothing, and for a width that ran no round. */
  readonly acceptance: number | null;
  readonly word: VerdictWord | null;
  readonly decision: string;
  /** Those that not every width ran. */
  readonly kernels: readonly string[];
}

export interface Sweep {
  readonly arms: readonly SweepArm[];
  /** Classic decode against itself: what lies in this range means nothing. Null where it was not run twice. */
  readonly floor: readonly [low: number, high: number] | null;
}

/** Null for a sweep whose timings were not kept. */
export function sweepOf({ widths, run }: ReportOf<'widths'>): Sweep | null {
  if (run.sweep === undefined) return null;
  const byWidth = new Map([...widths.widths].reverse().map((one) => [one.used, one]));
  const ranBy = rollup(widths.widths.flatMap(({ kernels }) => [...new Set(kernels)]), ({ length }) => length, (kernel) => kernel);
  const common = (kernel: string): boolean => ranBy.get(kernel) === widths.widths.length;
  const arms = run.sweep.arms.map(({ name, width, againstClassic, tokensPerSecond }): SweepArm => {
    const own = byWidth.get(width);
    return {
      label: name,
      against: againstClassic,
      tokensPerSecond,
      acceptance: own === undefined || own.proposed === 0 ? null : own.accepted / own.proposed,
      word: own?.verdict.word ?? null,
      decision: own?.decision ?? '',
      kernels: own?.kernels.filter((kernel) => !common(kernel)) ?? [],
    };
  });
  const nulls = run.sweep.arms.filter(({ width }) => width === 0).flatMap(({ againstClassic }) => againstClassic);
  return { arms, floor: nulls.length === 0 ? null : [Math.min(1, min(nulls) ?? 1), Math.max(1, max(nulls) ?? 1)] };
}
