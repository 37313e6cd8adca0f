// Probe "rewind": drives an accept sequence and audits the state after every rewind.
import type { RewindExperiment } from '../../../shared/experiment';
import { formatCount, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import type { LogFacts } from '../../../shared/results/replay';
import type { RewindResult } from '../../../shared/results/rewind';
import type { Verdict } from '../../../shared/verdict';
import { splitSwitches } from '../../speculative/burstSwitches';
import { badInput } from '../../problem';
import type { ModelInfo, Switches } from '../../types';
import { armsOf } from '../arms';
import { checkBurstSwitches } from '../checkSwitches';
import { promisesExact } from '../exactKernels';
import { baseOf, orWhatStands, unfinished, type ModelRun } from '../modelRun';
import { Stopwatch } from '../probe';
import { planReplay, type ReplayPlan } from '../replay/plan';
import { roundsOf } from '../replay/rounds';
import { countsOf } from '../replay/schedule';
import { Sessions } from '../sessions';
import { Auditor } from './auditor';
import { openLanes } from './lanes';
import { decideAudit } from './verdict';

/** Throws a Problem for input that the model cannot take, before any work. */
export async function rewind(run: ModelRun<RewindExperiment>): Promise<Report> {
  const { engine, model, experiment, call } = run;
  checkBurstSwitches(experiment.switches, model.info);
  if (experiment.batch > 1 && experiment.accepts.type === 'log') throw badInput('A log holds the rounds of one request, so its audit has one batch row', 'batch', 'Use --batch 1, or a list of kept rows');
  const watch = new Stopwatch();
  const sessions = new Sessions();
  try {
    const plan = await planReplay(run, sessions, watch);
    const lanes = await openLanes(run, plan, sessions, watch);
    const auditor = new Auditor({ engine, info: model.info, watch, call: { signal: call.signal } }, lanes);
    const report = (reason: string): Report | null => reportOf(run, plan, { switches: lanes.audited.switches, notes: lanes.audited.notes, cost: watch.cost }, auditor, reason);
    return await orWhatStands(call, () => drive(run, plan, auditor, report), report);
  } finally {
    sessions.close();
  }
}

async function drive({ call, keep }: ModelRun, { schedule, reference, batch }: ReplayPlan, auditor: Auditor, report: (reason: string) => Report | null): Promise<void> {
  const rows = Array.from({ length: batch }, (_, row) => roundsOf(schedule, reference.ids, batch, row));
  for (const index of schedule.rows.keys()) {
    const round = rows.flatMap((rounds) => rounds.slice(index, index + 1));
    call.onProgress?.({ text: `round ${formatCount(index + 1)} of ${formatCount(schedule.rows.length)}`, done: index, total: schedule.rows.length });
    await auditor.round(round);
    const partial = index % 16 === 15 ? report(unfinished) : null;
    if (partial !== null) await keep(partial);
  }
}

interface Facts {
  readonly switches: Switches;
  readonly notes: readonly string[];
  readonly cost: Stopwatch['cost'];
}

function reportOf(run: ModelRun<RewindExperiment>, plan: ReplayPlan, { switches, notes, cost }: Facts, auditor: Auditor, incompleteReason: string): Report | null {
  const { audits, stateBytes, kernels, floor } = auditor;
  if (audits.round.length === 0 && incompleteReason !== '') return null;
  const { experiment } = run;
  const tensors = auditor.differing();
  const { verdict: audited, first } = decideAudit({ audits, tensors, stateBytes, floor, exact: promisesExact(switches) });
  const verdict = withLog(audited, plan.log);
  const { rounds, rewinds, keptSum, accepted } = countsOf(plan.schedule);
  const { prompt, schedule, log, batch } = plan;
  const result: RewindResult = { width: plan.width, batch, rounds, rewinds, keptSum, accepted, prompt, schedule, log, how: auditor.hows(), stateBytes, audits, tensors, first, verdict };
  const { burst } = splitSwitches(experiment.switches);
  const arms = armsOf({ switches, burst, notes, threads: auditor.threads, isa: auditor.isa, kernelsA: kernels.chain, kernelsB: kernels.audited });
  const common = { verdict, coverage: coverageOf(result, run.model.info), arms, cost, threadsUsed: auditor.threads };
  return { ...baseOf(run, incompleteReason, common), kind: 'rewind', experiment, rewind: result };
}

/** A log that does not hold together is a defect of its own, as in a replay. */
function withLog(verdict: Verdict, log: LogFacts | null): Verdict {
  const [finding] = log?.findings ?? [];
  return finding === undefined ? verdict : { word: 'defect', sentence: `${finding} ${verdict.sentence}` };
}

function coverageOf({ audits, width, batch, rounds, how }: RewindResult, info: ModelInfo): Report['coverage'] {
  const ways = [...new Set(how.map((one) => one.how))].join(', ');
  return {
    compared: [
      `every state tensor of ${plural(info.layers.length, 'layer')} and the position after each of ${plural(audits.round.length, 'rewind')} (${plural(rounds, 'round')} of width ${width}${batch === 1 ? '' : `, ${plural(batch, 'batch row')} that keep different counts`}; layers go back by: ${ways})`,
      'against the same blocks with other ids in the rejected rows: any byte that differs is a trace of what was rejected',
      ...(batch === 1 ? ['against blocks of the kept rows alone, which never rewind'] : []),
      'against single steps, and these against themselves in another reduction order: how far rounding alone moves a state',
    ],
    notCovered: ['logits: the replay compares them', 'other accept sequences, prompts and widths', ...(batch === 1 ? ['more than one batch row'] : ['rows whose prompts differ']), "the drafter's own state"],
  };
}
