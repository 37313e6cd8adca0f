// Asks the gate for one width: from the memo, or by running its checks, and once more with the exact kernels where it fails.
import type { GateAttempt, GateCheck, GateWidth } from '../../../shared/results/gate';
import { Problem, sentenceOf, toProblem } from '../../problem';
import type { Switches } from '../../types';
import { promisesExact, withExactKernels } from '../exactKernels';
import { planOf, runCheck, type Checked, type GateContext, type GateInput } from './checks';
import { decisionOf, exactnessOf, notRun } from './decide';
import { memoKey, type GateMemo } from './memo';

export interface AskedWidth {
  readonly asked: number;
  readonly used: number;
}

/** What the last attempt ran with, for the provenance of a report. */
export type Ran = Omit<Checked, 'check'>;

export class Gatekeeper {
  /** By attempt: the kernels of both arms, and how the engine resolved the switches. */
  readonly ran: Ran[] = [];

  constructor(
    private readonly context: GateContext,
    private readonly memo: GateMemo,
    private readonly input: GateInput,
    private readonly onCheck: (text: string) => void,
  ) {}

  /** Never throws for a probe that fails to run: that is a decline with the reason. A cancelled one is thrown. */
  async ask({ asked, used }: AskedWidth, switches: Switches, override: boolean): Promise<GateWidth> {
    const first = await this.attempt(used, switches);
    const exact = first.attempt.exactness === 'exact' ? null : withExactKernels(this.context.model.info, first.attempt.switches);
    const retry = exact === null || promisesExact(first.attempt.switches) ? null : (await this.attempt(used, exact)).attempt;
    return { asked, used, ...decisionOf(first.attempt, retry, override), attempt: first.attempt, retry, remembered: first.remembered };
  }

  private async attempt(width: number, switches: Switches): Promise<{ attempt: GateAttempt; remembered: boolean }> {
    const { model } = this.context;
    try {
      const session = await model.open(switches, this.context.call);
      const resolved = session.switches;
      session.close();
      const key = memoKey(model.info, resolved, width, this.input, this.context.taps);
      const known = this.memo.get(key);
      if (known !== undefined) return { attempt: known, remembered: true };
      const attempt = await this.probe(width, resolved);
      this.memo.set(key, attempt);
      return { attempt, remembered: false };
    } catch (error) {
      const problem = toProblem(error);
      if (problem.data.kind === 'cancelled' || this.context.call.signal?.aborted === true) throw problem;
      return { attempt: notRun({ ...switches }, sentenceOf(problem.data)), remembered: false };
    }
  }

  private async probe(width: number, switches: Switches): Promise<GateAttempt> {
    const { info } = this.context.model;
    const checks: GateCheck[] = [];
    for (const planned of planOf(this.input, width, info.vocab)) {
      if (lengthOf(planned.prompts) + lengthOf(planned.ids) > info.context) throw tooLong(planned.name, info.path);
      this.onCheck(`width ${width} · ${planned.name}`);
      const { check, ...ran } = await runCheck(this.context, switches, width, planned);
      checks.push(check);
      this.ran.push(ran);
      // A check that fails decides; later ones would only cost.
      if (check.differingRows + check.stateBytes > 0) break;
    }
    return { switches: { ...switches }, ...exactnessOf(checks), checks };
  }
}

const lengthOf = (rows: readonly (readonly number[])[]): number => rows[0]?.length ?? 0;

function tooLong(name: string, place: string): Problem {
  return new Problem({ kind: 'input', title: `${name} and its prompt are longer than the model's context`, place, action: 'Use a shorter walk or prompt' });
}
