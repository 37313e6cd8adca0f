// From the options of a verb to a checked experiment.
import { Experiment } from '../shared/experiment';
import { firstIssue } from '../shared/issues';
import { badInput } from '../engine/problem';

/** Throws a Problem that names the option. */
export function checkedExperiment(experiment: { readonly kind: Experiment['kind'] } & Readonly<Record<string, unknown>>): Experiment {
  const parsed = Experiment.safeParse(experiment);
  if (parsed.success) return parsed.data;
  const { message } = firstIssue(parsed.error);
  throw badInput(`This cannot be run: ${message}`, '', `See moire ${experiment.kind} --help`);
}
