import { expect, it } from 'vitest';
import { Experiment } from '../../../src/shared/experiment';
import { prefillFollowing } from '../../../src/shared/followUp';
import type { ReportOf } from '../../../src/shared/report';
import { reportOfKind } from './reports';

type Replay = ReportOf<'replay'>;
type Log = NonNullable<Replay['replay']['log']>;

const log: Log = { file: 'rounds.jsonl', engine: 'moire', request: 0, name: 'one', grade: 'A', rounds: 3, rewinds: 2, keptSum: 5, accepted: 2, findings: [], notes: [], prefill: 'verify' };

function report({ leavesAt = 2, ...changes }: { leavesAt?: number; log?: Log | null; word?: 'equal' | 'drift' } = {}): Replay {
  const base = reportOfKind('replay');
  const [run] = base.replay.runs;
  const word = changes.word ?? 'equal';
  return { ...base, replay: { ...base.replay, log: changes.log === undefined ? log : changes.log, reference: { ...base.replay.reference, source: 'log', leavesAt }, runs: [{ ...run!, form: 'block', verdict: { word, sentence: '' } }] } };
}

it('a replay that leaves only its prefill asks for the prefills of its own prompt, as the log tells them', () => {
  const replay = report();
  const following = prefillFollowing(replay);
  expect(following).toEqual({ kind: 'prefill', model: 'model' in replay.experiment ? replay.experiment.model : '', prompt: { type: 'ids', ids: replay.replay.prompt.ids }, partitions: [0], switches: { ...('switches' in replay.experiment ? replay.experiment.switches : {}), 'burst.prefill': 'verify' } });
  expect(Experiment.safeParse(following).success).toBe(true);
  expect(prefillFollowing(report({ log: { ...log, prefill: 'causal' } }))?.switches['burst.prefill']).toBe('causal');
  // A log that does not say how it prefilled: a verify block is the other way there is.
  expect(prefillFollowing(report({ log: { ...log, prefill: '' } }))?.switches['burst.prefill']).toBe('verify');
});

it.each([
  ['whose text is the model’s own', report({ leavesAt: -1 })],
  ['without a log', report({ log: null })],
  ['of a log that does not hold', report({ log: { ...log, findings: ['x'] } })],
  ['of another request', report({ log: { ...log, notes: ['x'] } })],
  ['whose blocks differ', report({ word: 'drift' })],
])('a replay %s asks for none', (_, replay) => {
  expect(prefillFollowing(replay)).toBeNull();
});
