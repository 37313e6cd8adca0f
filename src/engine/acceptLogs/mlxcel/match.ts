// Which open burst a closing line ends.
import { tokenViolation } from '../countAlgebra';
import { sum } from '../../../shared/sum';
import { countsOf } from '../counts';
import type { OpenBurst } from './openBursts';
import type { Diagnostics } from './closing';

export const sameList = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((value, i) => value === b[i]);

function fits({ rounds, accepted }: OpenBurst, diagnostics: Diagnostics): boolean {
  const drafted = rounds.map(({ width }) => (width ?? 1) - 1);
  const { zero, partial, full } = countsOf({ accepted, drafted });
  return rounds.length === diagnostics.roundCount && sum(accepted) === diagnostics.acceptedSum && zero === diagnostics.zero && partial === diagnostics.partial && full === diagnostics.full;
}

/** The burst with the same counts, else with as many rounds, else the one that waits longest. A burst without rounds left no transcript. */
export function burstOf(open: readonly OpenBurst[], diagnostics: Diagnostics): OpenBurst | null {
  if (diagnostics.roundCount === 0) return null;
  return open.find((burst) => fits(burst, diagnostics)) ?? open.find(({ rounds }) => rounds.length === diagnostics.roundCount) ?? open[0] ?? null;
}

/** As burstOf, by the generated tokens of a summary. */
export function burstOfTokens(open: readonly OpenBurst[], generated: number | null): OpenBurst | null {
  const fitting = open.find(({ rounds, accepted }) => generated !== null && tokenViolation(generated, rounds.length, sum(accepted), (accepted.at(-1) ?? 0) + 1).length === 0);
  return fitting ?? open[0] ?? null;
}

/** As burstOf, by the accept list. */
export function burstOfList(open: readonly OpenBurst[], values: readonly number[]): OpenBurst | null {
  if (values.length === 0) return null;
  return open.find(({ accepted }) => sameList(accepted, values)) ?? open.find(({ rounds }) => rounds.length === values.length) ?? (open.length === 1 ? open[0] : undefined) ?? null;
}
