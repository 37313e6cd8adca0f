// Findings of a bisect as a report, whole or as far as it got.
import type { BisectExperiment } from '../../shared/experiment';
import { formatCount, plural } from '../../shared/format';
import type { BisectReport, BisectRun, Report } from '../../shared/report';
import { sentenceOf, toProblem } from '../problem';
import type { Origin } from '../provenance';
import type { ModelInfo } from '../types';
import { bisect, BisectStopped, type BisectFindings } from './bisect';
import { coverageOf } from './bisectCoverage';
import { describeSeeds } from './bisectPlan';
import { decideTable } from './bisectVerdict';
import { baseOf, unfinished, type ModelRun } from './modelRun';

export interface BisectReportParts {
  readonly origin: Origin;
  readonly info: ModelInfo;
  readonly experiment: BisectExperiment;
  readonly findings: BisectFindings;
  /** "" for a run that is done. */
  readonly incompleteReason: string;
}

/** The report, with `complete: false` when a reason is given. */
export function bisectReport({ origin, info, experiment, findings, incompleteReason }: BisectReportParts): BisectReport {
  const { runs, planned, cost, threadsUsed } = findings;
  const common = {
    verdict: decideTable(runs),
    coverage: coverageOf({ experiment, info, ...findings }),
    arms: { ...findings, seeds: describeSeeds(experiment) },
    cost,
    threadsUsed,
    reached: reached(runs, planned),
  };
  return { ...baseOf({ origin, model: { info } }, incompleteReason, common), kind: 'bisect', experiment, bisect: { runs: [...runs] } };
}

function reached(runs: readonly BisectRun[], planned: number): string {
  const cut = runs.find((run) => run.planned !== undefined);
  const more = cut?.planned === undefined ? '' : `, and ${formatCount(cut.blockIds.length)} of ${plural(cut.planned, 'token')} of another (${cut.label})`;
  return `${runs.length - (cut === undefined ? 0 : 1)} of ${planned} comparisons were done${more}.`;
}

/** The probe as the host runs it: partial reports while it runs, and what stands when it ends early. */
export async function runBisect({ engine, model, origin, experiment, call, keep }: ModelRun<BisectExperiment>): Promise<Report> {
  const report = (findings: BisectFindings, incompleteReason: string): Report => bisectReport({ origin, info: model.info, experiment, findings, incompleteReason });
  try {
    return report(await bisect(engine, model, experiment, { ...call, onFindings: (findings) => keep(report(findings, unfinished)) }), '');
  } catch (error) {
    if (!(error instanceof BisectStopped)) throw error;
    if (error.findings.runs.length === 0) throw error.cause;
    return report(error.findings, sentenceOf(toProblem(error.cause).data));
  }
}
