// The report of a probe over servers: what they are stands in its provenance, and of this machine only what computed.
import type { ServedExperiment } from '../../../shared/experiment';
import { reportFormat, reportVersion, type AnswersReport, type Provenance } from '../../../shared/report';
import type { ServerProfile } from '../../../shared/serverProfile';
import type { Verdict } from '../../../shared/verdict';
import { engineNamed, provenanceOf, runFactsOf, type Origin } from '../../provenance';
import type { EngineInfo, Model } from '../../types';
import type { Findings } from './findings';
import type { LocalModel } from './localModel';
import type { ServedCoverage } from './servedRun';

/** As Origin, without an engine where none was loaded. */
export type ServedOrigin = Omit<Origin, 'engine'>;

/** The model of arm B where it is one of this process. */
export interface LocalArm {
  readonly engine: EngineInfo;
  readonly model: Model;
  readonly arm: LocalModel;
}

export interface ReportParts {
  readonly origin: ServedOrigin;
  readonly experiment: ServedExperiment;
  readonly findings: Findings;
  readonly profiles: readonly ServerProfile[];
  readonly local: LocalArm | null;
  readonly coverage: ServedCoverage;
  readonly verdict: Verdict;
  readonly cost: Readonly<Record<string, number>>;
}

function provenance({ origin, profiles, local }: ReportParts): Provenance {
  const servers = profiles.map((profile) => ({ ...profile }));
  // The place of the engine says which server answered.
  if (local === null) return { ...provenanceOf({ ...origin, engine: engineNamed(profiles[0]?.engine ?? '', profiles[0]?.version ?? '') }, null), servers };
  const { engine, model, arm } = local;
  const arms = { switches: arm.switches, threads: Number(arm.switches['threads'] ?? 0), isa: String(arm.switches['isa'] ?? ''), notes: arm.notes, kernelsA: [], kernelsB: [], seeds: '' };
  // Arm A is the server: it has no switches of ours.
  return { ...provenanceOf({ ...origin, engine }, model.info, arms), switchesA: {}, servers };
}

/** What no probe over servers covers. */
const never = [
  'equal text and equal printed log probabilities are no equal bytes: what is below the digits that the server prints, and every candidate that it does not list, is not seen',
  'the server may run these requests in batches with others and choose kernels by their number; what it does not tell is not known',
];

export function reportOf(parts: ReportParts, incompleteReason: string): AnswersReport {
  const { experiment, findings, coverage, verdict, origin, cost } = parts;
  const blind = findings.result.answers.some(({ logprobs }) => logprobs.length === 0) ? ['log probabilities, where the server tells none: texts alone were compared, and a tie cannot be told from a defect'] : [];
  return {
    format: reportFormat,
    version: reportVersion,
    kind: experiment.kind,
    complete: incompleteReason === '',
    incompleteReason,
    verdict: incompleteReason === '' ? verdict : { word: verdict.word, sentence: `${verdict.sentence} The run is not complete.` },
    coverage: { compared: [...coverage.compared], notCovered: [...coverage.notCovered, ...blind, ...never] },
    provenance: provenance(parts),
    run: runFactsOf(origin, cost),
    experiment,
    answers: findings.result,
  };
}
