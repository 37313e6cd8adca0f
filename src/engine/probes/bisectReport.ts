// Findings of a bisect as a report, whole or as far as it got.
import type { BisectExperiment } from '../../shared/experiment';
import { reportFormat, reportVersion, type BisectReport, type Report } from '../../shared/report';
import { sentenceOf, toProblem } from '../problem';
import { provenanceOf, runFactsOf, type Origin } from '../provenance';
import type { ModelInfo } from '../types';
import { bisect, BisectStopped, type BisectFindings } from './bisect';
import { coverageOf } from './bisectCoverage';
import { describeSeeds } from './bisectPlan';
import { decideTable } from './bisectVerdict';
import { unfinished, type ModelRun } from './modelRun';

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
  const { runs, planned } = findings;
  const verdict = decideTable(runs);
  const missing = incompleteReason === '' ? '' : ` ${runs.length} of ${planned} comparisons were done.`;
  return {
    format: reportFormat,
    version: reportVersion,
    complete: incompleteReason === '',
    incompleteReason,
    verdict: { word: verdict.word, sentence: `${verdict.sentence}${missing}` },
    coverage: coverageOf({ experiment, info, ...findings }),
    provenance: provenanceOf(origin, info, { ...findings, seeds: describeSeeds(experiment) }),
    run: runFactsOf(origin, findings.cost, findings.threadsUsed),
    kind: 'bisect',
    experiment,
    bisect: { runs: [...runs] },
  };
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
