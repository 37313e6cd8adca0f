// Probe "prefill": the prefill of classic decode against the burst's, and one partition of the prompt against another. What block-versus-chain probes share is what they cannot see.
import type { PrefillExperiment } from '../../../shared/experiment';
import { formatList, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import type { Noise } from '../../../shared/results/parts';
import type { PrefillResult, PrefillRun } from '../../../shared/results/prefill';
import { gravest, type Verdict } from '../../../shared/verdict';
import { splitSwitches, type BurstSwitches } from '../../speculative/burstSwitches';
import { throwIfCancelled } from '../../problem';
import type { Switches } from '../../types';
import { armsOf } from '../arms';
import { compareStates, differingStateBytes } from '../bisectState';
import { checkBurstSwitches } from '../checkSwitches';
import { promisesExact } from '../exactKernels';
import { baseOf, orWhatStands, unfinished, type ModelRun } from '../modelRun';
import { round } from '../numbers';
import { Stopwatch } from '../probe';
import { checkLength, promptOf } from '../prompts';
import { ordersText, otherOrder } from '../reductionOrders';
import { Sessions } from '../sessions';
import { comparePrefills, diffLastRows, prefilled, type Side } from './comparison';

interface Planned {
  readonly label: string;
  readonly a: Side;
  readonly b: Side;
  /** Both sides are the same call. */
  readonly same: boolean;
}

const partitionName = (partition: number): string => (partition === 0 ? 'the whole prompt at once' : `pieces of ${partition}`);

/** Classic against burst in every partition, then every partition against the first one. */
function planned({ partitions }: PrefillExperiment, switches: Switches, { prefill: path }: BurstSwitches): Planned[] {
  const sizes = [...new Set(partitions)];
  const side = (p: 'causal' | 'verify', partition: number): Side => ({ switches, plan: { path: p, partition } });
  const bursts = sizes.map((size): Planned => ({ label: `classic against burst (${path}), ${partitionName(size)}`, a: side('causal', size), b: side(path, size), same: path === 'causal' }));
  const [first = 0, ...others] = sizes;
  return [...bursts, ...others.map((size): Planned => ({ label: `classic, ${partitionName(first)} against ${partitionName(size)}`, a: side('causal', first), b: side('causal', size), same: false }))];
}

/** Throws a Problem for input that the model cannot take, before any work. */
export async function prefill(run: ModelRun<PrefillExperiment>): Promise<Report> {
  const { engine, model, experiment, call, keep } = run;
  checkBurstSwitches(experiment.switches, model.info);
  const { signal } = call;
  const prompt = await promptOf(model, experiment.prompt, signal);
  checkLength(prompt.ids.length, 1, model.info, 'a shorter one');
  const { engine: switches, burst } = splitSwitches(experiment.switches);
  const watch = new Stopwatch();
  const runs: PrefillRun[] = [];
  let facts: Facts | null = null;
  const report = (reason: string): Report | null => (facts === null || (runs.length === 0 && reason !== '') ? null : reportOf(run, { prompt, runs: [...runs], noise: facts.noise }, facts, watch, reason));
  const plans = planned(experiment, switches, burst);
  return orWhatStands(
    call,
    async () => {
      facts = await noiseOf(run, prompt.ids, switches, watch);
      for (const [i, { label, a, b, same }] of plans.entries()) {
        throwIfCancelled(signal);
        call.onProgress?.({ text: label, done: i, total: plans.length });
        const sessions = new Sessions();
        try {
          const context = { engine, model, sessions, promptIds: prompt.ids, call: { signal }, watch, noise: facts.noise, exact: promisesExact(facts.switches) };
          runs.push(await comparePrefills(context, label, a, b, same));
        } finally {
          sessions.close();
        }
        const partial = report(unfinished);
        if (partial !== null) await keep(partial);
      }
    },
    report,
  );
}

interface Facts {
  readonly noise: Noise;
  readonly switches: Switches;
  readonly notes: readonly string[];
  readonly threads: number;
  readonly isa: string;
}

/** The classic prefill twice, and once in another reduction order. */
async function noiseOf({ engine, model, call }: ModelRun, promptIds: readonly number[], switches: Switches, watch: Stopwatch): Promise<Facts> {
  const sessions = new Sessions();
  const options = { signal: call.signal };
  const plan = { path: 'causal', partition: 0 } as const;
  const context = { model, sessions, promptIds, call: options, watch };
  const open: { close: () => void }[] = [];
  const start = async (of: Switches): ReturnType<typeof prefilled> => {
    const one = await prefilled(context, { switches: of, plan });
    open.push(one.step);
    return one;
  };
  try {
    const [first, again] = [await start(switches), await start(switches)];
    const order = otherOrder(model.info, first.session.switches);
    const other = order === null ? null : await start(order.switches);
    const repeat = await diffLastRows(engine, first.step, again.step, options);
    const states = await compareStates(engine, model.info, first.session, again.session, options);
    const floor = other === null ? 0 : round((await diffLastRows(engine, first.step, other.step, options)).maxAbs);
    const noise = { repeatDifferingBytes: repeat.differingBytes + differingStateBytes(states), floor, orders: ordersText(order) };
    return { noise, switches: first.session.switches, notes: first.session.notes, threads: first.step.threads, isa: first.step.isa };
  } finally {
    for (const step of open) step.close();
    sessions.close();
  }
}

function reportOf(run: ModelRun<PrefillExperiment>, result: PrefillResult, facts: Facts, watch: Stopwatch, incompleteReason: string): Report {
  const { runs, prompt } = result;
  const { burst } = splitSwitches(run.experiment.switches);
  const arms = armsOf({ ...facts, burst, kernelsA: runs.flatMap(({ kernelsA }) => kernelsA), kernelsB: runs.flatMap(({ kernelsB }) => kernelsB) });
  const coverage = {
    compared: [
      `${plural(runs.length, 'comparison')} of two prefills of ${plural(prompt.ids.length, 'token')} (${prompt.source}), before either arm advances: logits of the last row, then every cache of ${plural(run.model.info.layers.length, 'layer')}`,
      'every tap of every row of the prompt, by hash, from a second, captured pass; its logits are compared with the uncaptured ones',
    ],
    notCovered: ['what comes after the prefill: verify blocks, rewinds, decode', 'other prompts and prompt lengths', `partitions other than ${formatList([...new Set(run.experiment.partitions)].map(partitionName))}`, 'more than one row in a batch', 'a prefix taken from a prompt cache'],
  };
  const common = { verdict: overall(runs), coverage, arms, cost: watch.cost, threadsUsed: facts.threads };
  return { ...baseOf(run, incompleteReason, common), kind: 'prefill', experiment: run.experiment, prefill: result };
}

function overall(runs: readonly PrefillRun[]): Verdict {
  if (runs.length === 0) return { word: 'void', sentence: 'Nothing was compared.' };
  const word = gravest(runs.map(({ verdict }) => verdict.word));
  const worst = runs.find(({ verdict }) => verdict.word === word);
  const others = runs.length === 1 ? '' : ` ${plural(runs.filter(({ verdict }) => verdict.word === 'equal').length, 'comparison is', 'comparisons are')} equal of ${runs.length}.`;
  return { word, sentence: `${runs.length === 1 ? '' : `${worst?.label ?? ''}: `}${worst?.verdict.sentence ?? ''}${others}` };
}
