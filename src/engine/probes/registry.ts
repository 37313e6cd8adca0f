// Every probe over a model, by the kind of its experiment.
import type { ModelExperiment } from '../../shared/experiment';
import type { Report } from '../../shared/report';
import { runBisect } from './bisectReport';
import { gate } from './gate/gate';
import type { ModelRun } from './modelRun';
import { parity } from './parity/parity';
import { prefill } from './prefill/prefill';
import { replay } from './replay/replay';
import { rewind } from './rewind/rewind';
import { switchMatrix } from './switches/switches';
import { widths } from './widths/widths';

type Probes = { readonly [K in ModelExperiment['kind']]: (run: ModelRun<Extract<ModelExperiment, { kind: K }>>) => Promise<Report> };

const probes: Probes = { bisect: runBisect, gate, parity, prefill, replay, rewind, widths, switches: (run) => switchMatrix(run, runModelProbe) };

/** Runs the probe of an experiment. Throws a Problem when there is nothing to report. */
export function runModelProbe(run: ModelRun): Promise<Report> {
  const probe = probes[run.experiment.kind] as (run: ModelRun) => Promise<Report>;
  return probe(run);
}
