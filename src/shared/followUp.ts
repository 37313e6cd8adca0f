// What a report asks for next, as an experiment of its own.
import { presets, presetSettings } from './presets';
import type { PrefillExperiment } from './experiment';
import type { ReportOf } from './report';
import type { ReplayResult } from './results/replay';

type Judged = Pick<ReplayResult, 'reference' | 'log'> & { readonly runs: readonly ReplayResult['runs'][number][] };

/** Whether a replay leaves nothing but what came before the first round: blocks and rewinds give the bytes of single steps, and the log's own text is not what the model chooses. */
export function leavesBeforeRounds({ runs, reference: { source, leavesAt }, log }: Judged): boolean {
  const equal = runs.every(({ verdict }) => verdict.word === 'equal') && runs.some(({ form }) => form === 'block');
  // Of another request, another model or sampled text nothing follows; neither from a log that does not hold together.
  return equal && source === 'log' && log !== null && log.findings.length + log.notes.length === 0 && leavesAt >= 0;
}

/** The prefills of the replay's own prompt: of classic decode, and of the burst as the log tells it, a verify block where it does not. Null: the replay does not point there. */
export function prefillFollowing({ experiment, replay }: ReportOf<'replay'>): PrefillExperiment | null {
  if (experiment.kind !== 'replay' || !leavesBeforeRounds(replay)) return null;
  const { model, switches } = experiment;
  return { ...presets.prefill(model, presetSettings), prompt: { type: 'ids', ids: [...replay.prompt.ids] }, switches: { ...switches, 'burst.prefill': replay.log?.prefill === 'causal' ? 'causal' : 'verify' } };
}
