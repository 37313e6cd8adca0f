// Opens the sessions of a replay: the classic chain, its repeat, another reduction order, and one session an arm.
import type { Fill, ReplayExperiment } from '../../../shared/experiment';
import { splitSwitches } from '../../speculative/burstSwitches';
import { runPrefill } from '../../speculative/prefill';
import type { Session, Step, Switches } from '../../types';
import type { ModelRun } from '../modelRun';
import type { Stopwatch } from '../probe';
import { ordersText, otherOrder } from '../reductionOrders';
import type { Sessions } from '../sessions';
import { armOf, Lockstep, type Arm } from './lockstep';
import type { ReplayPlan } from './plan';

export interface Started {
  readonly lockstep: Lockstep;
  readonly chain: Session;
  readonly switches: Switches;
  readonly notes: readonly string[];
  readonly orders: string;
}

/** Form and fill of every arm: only whole blocks have rejected rows to fill. */
function plansOf({ forms, fills }: ReplayExperiment): { form: Arm['form']; fill: Fill }[] {
  return [...new Set(forms)].flatMap((form) => (form === 'block' ? [...new Set(fills)] : (['correct'] as const)).map((fill) => ({ form, fill })));
}

export async function startArms(run: ModelRun<ReplayExperiment>, plan: ReplayPlan, sessions: Sessions, watch: Stopwatch): Promise<Started> {
  const { engine, model, experiment, call } = run;
  const options = { signal: call.signal };
  const { engine: switches, burst } = splitSwitches(experiment.switches);
  const open: Step[] = [];
  const prefilled = async (switchesOf: Switches, path: 'causal' | 'verify'): Promise<{ session: Session; step: Step }> => {
    const session = await sessions.fresh(model, switchesOf, options);
    const step = await watch.time('prefill', runPrefill(session, [plan.prompt.ids], { path, partition: 0 }, { ...options, top: 8 }));
    open.push(step);
    return { session, step };
  };
  try {
    const classic = await prefilled(switches, 'causal');
    const repeat = await prefilled(switches, 'causal');
    const order = otherOrder(model.info, classic.session.switches);
    const other = order === null ? null : await prefilled(order.switches, 'causal');
    const base = burst.prefill === 'causal' ? classic : await prefilled(switches, 'verify');
    const arms: Arm[] = [];
    for (const { form, fill } of plansOf(experiment)) arms.push(armOf(form, fill, await sessions.fork(base.session, options)));
    const context = { engine, vocab: model.info.vocab, watch, call: options, drafts: plan.drafts };
    const lockstep = new Lockstep(context, { plain: classic.session, repeat: repeat.session, other: other?.session ?? null }, arms);
    await lockstep.addPrefill(classic.step, repeat.step, other?.step ?? null, arms.map(() => base.step));
    const { switches: resolved, notes } = classic.session;
    return { lockstep, chain: classic.session, switches: resolved, notes, orders: ordersText(order) };
  } finally {
    for (const step of open) step.close();
  }
}
