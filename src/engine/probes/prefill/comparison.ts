// One prefill against another, before either advances: last row of logits, every cache, then the taps.
import { append } from '../../../shared/append';
import type { Noise } from '../../../shared/results/parts';
import type { PrefillRun } from '../../../shared/results/prefill';
import { partitionOf, runPrefill, type PrefillPlan } from '../../speculative/prefill';
import type { Engine, Session, Step, Switches, TensorDiff } from '../../types';
import { namesOf } from '../arms';
import { compareStates } from '../bisectState';
import { ChoiceCollector, lastRow } from '../choices';
import type { Stopwatch } from '../probe';
import type { Sessions } from '../sessions';
import { firstState, pictureOf } from './picture';
import { compareTaps, type TapContext } from './taps';
import { decidePrefill } from './verdict';

export interface Side {
  readonly switches: Switches;
  readonly plan: PrefillPlan;
}

export interface ComparisonContext extends TapContext {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly watch: Stopwatch;
  readonly noise: Noise;
  readonly exact: boolean;
}

export interface Prefilled {
  readonly session: Session;
  readonly step: Step;
}

export async function prefilled({ model, sessions, promptIds, call, watch }: Pick<ComparisonContext, 'model' | 'sessions' | 'promptIds' | 'call' | 'watch'>, { switches, plan }: Side): Promise<Prefilled> {
  const session = await sessions.fresh(model, switches, call);
  return { session, step: await watch.time('prefill', runPrefill(session, [promptIds], plan, { ...call, top: 8 })) };
}

export async function diffLastRows(engine: Engine, a: Step, b: Step, call: TapContext['call']): Promise<TensorDiff> {
  const [left, right] = [lastRow(a), lastRow(b)];
  const [diff] = await engine.diff([{ a: left.logits, b: right.logits, aRows: [left.row, left.row + 1], bRows: [right.row, right.row + 1] }], call);
  if (diff === undefined) throw new Error('the engine gave no diff of the logits');
  return diff;
}

export async function comparePrefills(context: ComparisonContext, label: string, a: Side, b: Side, mustBeEqual: boolean): Promise<PrefillRun> {
  const { engine, model, call, watch } = context;
  const open: Step[] = [];
  try {
    const [left, right] = [await prefilled(context, a), await prefilled(context, b)];
    open.push(left.step, right.step);
    const logits = new ChoiceCollector();
    await logits.add(await diffLastRows(engine, left.step, right.step, call), lastRow(left.step), lastRow(right.step));
    const state = await watch.time('state', compareStates(engine, model.info, left.session, right.session, call));
    const taps = await watch.time('taps', compareTaps(context, a, b));
    append(open, taps.last);
    const observed = [await diffLastRows(engine, left.step, taps.last[0], call), await diffLastRows(engine, right.step, taps.last[1], call)];
    const cache = firstState(state);
    const undecided = {
      label,
      path: b.plan.path,
      partition: b.plan.partition,
      forwards: partitionOf(context.promptIds.length, b.plan.partition).length,
      logits: logits.rows,
      state,
      firstState: cache === null ? null : { layer: cache.layer, tensor: cache.tensor },
      tapsCompared: taps.compared,
      taps: [...taps.taps],
      ...(taps.map === null ? {} : { map: taps.map }),
      captureDifferingBytes: { a: observed[0]?.differingBytes ?? 0, b: observed[1]?.differingBytes ?? 0 },
      kernelsA: kernelsOf(left.step),
      kernelsB: kernelsOf(right.step),
      picture: pictureOf({ state, taps: [...taps.taps] }, model.info),
    };
    return { ...undecided, verdict: decidePrefill(undecided, context.noise, context.exact || mustBeEqual) };
  } finally {
    for (const step of open) step.close();
  }
}

const kernelsOf = ({ kernels }: Step): string[] => namesOf(kernels.map(({ kernel }) => kernel));
