// The sessions of a rewind audit. Two run the same blocks with other ids in the rejected rows; the others never saw a rejected row.
import type { RewindExperiment } from '../../../shared/experiment';
import { splitSwitches } from '../../speculative/burstSwitches';
import { runPrefill } from '../../speculative/prefill';
import type { Session, Switches } from '../../types';
import type { ModelRun } from '../modelRun';
import type { Stopwatch } from '../probe';
import { otherOrder } from '../reductionOrders';
import type { ReplayPlan } from '../replay/plan';
import type { Sessions } from '../sessions';

export interface Lanes {
  /** Every batch row, rewound: wrong ids in the rejected rows. */
  readonly audited: Session;
  /** The same with random ids there. */
  readonly trace: Session;
  /** Blocks of the kept rows alone; null with more than one batch row, whose kept rows have no common length. */
  readonly kept: Session | null;
  /** Single steps, one session a batch row. */
  readonly chains: readonly Session[];
  /** The first chain in another reduction order: how far rounding alone moves a state. Null where the engine has none. */
  readonly other: Session | null;
}

export async function openLanes({ model, experiment, call }: ModelRun<RewindExperiment>, plan: ReplayPlan, sessions: Sessions, watch: Stopwatch): Promise<Lanes> {
  const options = { signal: call.signal };
  const { engine: switches, burst } = splitSwitches(experiment.switches);
  const prefilled = async (batch: number, of: Switches = switches): Promise<Session> => {
    const session = await sessions.fresh(model, of, { ...options, batch });
    const prompts = Array.from({ length: batch }, () => plan.prompt.ids);
    (await watch.time('prefill', runPrefill(session, prompts, { path: burst.prefill, partition: 0 }, options))).close();
    return session;
  };
  const audited = await prefilled(plan.batch);
  const first = plan.batch === 1 ? audited : await prefilled(1);
  const chains: Session[] = [];
  for (let row = 0; row < plan.batch; row += 1) chains.push(await sessions.fork(first, options));
  const order = otherOrder(model.info, audited.switches);
  const other = order === null ? null : await prefilled(1, order.switches);
  return { audited, trace: await sessions.fork(audited, options), kept: plan.batch === 1 ? await sessions.fork(audited, options) : null, chains, other };
}
