// What a probe over a model is given, and how its findings become a report, whole or as far as they got.
import type { ModelExperiment } from '../../shared/experiment';
import { reportFormat, reportVersion, type Report } from '../../shared/report';
import type { Verdict } from '../../shared/verdict';
import { cancelled, sentenceOf, toProblem } from '../problem';
import { provenanceOf, runFactsOf, type ArmFacts, type Origin } from '../provenance';
import type { Engine, Model, ModelInfo } from '../types';
import type { BurstRound } from '../speculative/burst';
import type { CapturedBurst, RunningBurst } from '../speculative/captureText';
import type { Width } from '../speculative/width';
import type { GateMemo } from './gate/memo';
import type { ProbeCall } from './probe';

export interface ModelRun<E extends ModelExperiment = ModelExperiment> {
  readonly engine: Engine;
  readonly model: Model;
  readonly origin: Origin;
  readonly experiment: E;
  readonly call: ProbeCall;
  readonly memo: GateMemo;
  /** Hears of every round of a burst that runs, and then of the burst, for a log of them. */
  readonly onRound?: ((burst: RunningBurst, round: BurstRound) => Promise<void>) | undefined;
  readonly onBurst?: ((burst: CapturedBurst, width: Width) => void) | undefined;
  /** Puts the report so far where a crash does not reach it. */
  readonly keep: (report: Report) => Promise<void>;
}

/** What every report of a model has besides its own result. */
export interface Common {
  readonly verdict: Verdict;
  readonly coverage: Report['coverage'];
  readonly arms: ArmFacts;
  readonly cost: Readonly<Record<string, number>>;
  /** Threads that computed. */
  readonly threadsUsed: number;
  /** How far a run came that is not complete, one sentence. */
  readonly reached?: string;
}

type Base = Pick<Report, 'format' | 'version' | 'complete' | 'incompleteReason' | 'verdict' | 'coverage' | 'provenance' | 'run'> & { format: typeof reportFormat; version: typeof reportVersion };

/** `incompleteReason`: "" for a run that is done. */
export function baseOf({ origin, model }: { origin: Origin; model: { info: ModelInfo } }, incompleteReason: string, { verdict, coverage, arms, cost, threadsUsed, reached = 'The run is not complete.' }: Common): Base {
  const missing = incompleteReason === '' ? '' : ` ${reached}`;
  return {
    format: reportFormat,
    version: reportVersion,
    complete: incompleteReason === '',
    incompleteReason,
    verdict: { word: verdict.word, sentence: `${verdict.sentence}${missing}` },
    coverage,
    provenance: provenanceOf(origin, model.info, arms),
    run: runFactsOf(origin, cost, threadsUsed),
  };
}

export const unfinished = 'The run has not ended yet, or the engine ended before it.';

/**
 * Runs `work` and makes the report. When it is cancelled or fails, what stands so far is the report, marked incomplete; `report` gives null when nothing stands yet,
 * and the failure is thrown.
 */
export async function orWhatStands(call: ProbeCall, work: () => Promise<void>, report: (incompleteReason: string) => Report | null): Promise<Report> {
  try {
    await work();
  } catch (error) {
    const cause = call.signal?.aborted === true ? cancelled() : error;
    const partial = report(sentenceOf(toProblem(cause).data));
    if (partial === null) throw cause;
    return partial;
  }
  const whole = report('');
  if (whole === null) throw new Error('the probe ended without a result');
  return whole;
}
