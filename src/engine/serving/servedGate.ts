// The gate before served speculation: a decision for every size of the batch, since kernels may be chosen by rows x batch.
import type { GateWidth } from '../../shared/results/gate';
import { briefGate } from '../probes/gate/checks';
import { Gatekeeper } from '../probes/gate/gatekeeper';
import type { GateMemo } from '../probes/gate/memo';
import { promisesExact } from '../probes/exactKernels';
import { Stopwatch } from '../probes/probe';
import type { Width } from '../speculative/width';
import type { Call, Drafter, Engine, Model, Switches } from '../types';

export interface GateSetting {
  readonly engine: Engine;
  readonly model: Model;
  readonly drafter: Drafter;
  readonly width: Width;
  readonly switches: Switches;
  readonly memo: GateMemo;
  /** Most rows of the batch. */
  readonly most: number;
  readonly override: boolean;
}

export type Decisions = ReadonlyMap<number, GateWidth>;

/**
 * Asks for the sizes 1, 2, ... up to the first that declines; larger ones are then declined unasked. Kernels that promise exact bytes are asked for the smallest and
 * the largest batch. Throws a Problem when cancelled.
 */
export async function gateDecisions({ engine, model, drafter, width, switches, memo, most, override }: GateSetting, call: Call): Promise<Decisions> {
  const found = new Map<number, GateWidth>();
  const context = { engine, model, watch: new Stopwatch(), call, taps: drafter.info.taps };
  for (let batch = 1; batch <= most; batch += 1) {
    const between = batch > 1 && batch < most && promisesExact(found.get(1)?.attempt.switches ?? {});
    if (between) continue;
    const gate = await new Gatekeeper(context, memo, briefGate(model.info, batch), () => undefined).ask(width, switches, override);
    found.set(batch, gate);
    if (gate.decision === 'decline') break;
  }
  return found;
}

/** Whether a batch of this size may speculate, and why (not). */
export function decisionFor(decisions: Decisions, batch: number): { engaged: boolean; reason: string } {
  const sizes = [...decisions.keys()].sort((a, b) => a - b);
  const asked = sizes.find((size) => size >= batch) ?? sizes.at(-1);
  const gate = asked === undefined ? undefined : decisions.get(asked);
  if (gate === undefined) return { engaged: false, reason: 'the exactness gate did not run' };
  // Beyond the last size that was asked stands one that was declined.
  const engaged = gate.decision !== 'decline' && (asked ?? 0) >= batch;
  return { engaged, reason: asked !== undefined && asked > 1 && !engaged ? `with ${asked} requests together: ${gate.reason}` : gate.reason };
}
