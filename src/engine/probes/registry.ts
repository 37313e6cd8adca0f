// Every probe over a model, by the kind of its experiment.
import type { ModelExperiment } from '../../shared/experiment';
import type { Report } from '../../shared/report';
import { Problem } from '../problem';
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

const probes: Probes = { bisect: runBisect, gate, parity, prefill, replay, rewind, widths, switches: (run) => switchMatrix(run, runProbe) };

function runProbe(run: ModelRun): Promise<Report> {
  const probe = probes[run.experiment.kind] as (run: ModelRun) => Promise<Report>;
  return probe(run);
}

/** Runs the probe of an experiment. Throws a Problem when there is nothing to report. */
export async function runModelProbe(run: ModelRun): Promise<Report> {
  // A bisect counts logits that are no numbers by itself.
  if (run.experiment.kind !== 'bisect') await requireNumbers(run);
  return runProbe(run);
}

/** Equal bytes of NaN are no equality: a model that gives no number at all can show nothing. */
async function requireNumbers({ model, call }: ModelRun): Promise<void> {
  const options = { signal: call.signal };
  const session = await model.open({}, options);
  try {
    const step = await session.prefill([0], options);
    const all = step.logits?.shape.reduce((product, size) => product * size, 1) ?? 0;
    step.close();
    if (step.nonFinite < all) return;
    throw new Problem({ kind: 'engine', title: 'No logit of this model is a number, so nothing can be told from its bytes', place: model.info.path, action: 'Look for NaN in the weights: moire inspect and moire bisect say more' });
  } finally {
    session.close();
  }
}
