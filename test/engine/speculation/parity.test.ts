// Classic decode against bursts of the sample pair where kernels promise nothing: what the gate says, what a run shows, and how forks are told.
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/engine/types';
import type { ParityExperiment, Prompt } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { sample } from '../product';
import { delegate, modelWith } from './broken';
import { dflashPath, exact, mtpPath, problemOf, promptsOf, reportOf, sum, target } from './support';

const prompts = await promptsOf(4, 24);
const experimentOf = (changes: Partial<ParityExperiment> = {}): ParityExperiment => ({
  kind: 'parity', model: sample, drafter: dflashPath, prompts, widths: [2, 4], tokens: 32, batch: 1, gate: 'obey', ignoreEos: true, audit: false, switches: {}, ...changes,
});
const parity = (changes: Partial<ParityExperiment> = {}): Promise<ReportOf<'parity'>> => reportOf(experimentOf(changes));

describe('the gate under the default kernels', async () => {
  const overridden = await parity({ widths: [2, 3, 4, 5, 6, 7, 8], tokens: 160, prompts: prompts.slice(0, 3), gate: 'override', audit: true });
  const { parity: found } = overridden;
  const of = (width: number): typeof found.runs => found.runs.filter((run) => run.width === width);

  it('engages widths that a long run shows to be equal, state and all', () => {
    const engaged = found.widths.filter(({ decision }) => decision === 'engage');
    expect(engaged.map(({ width }) => width)).toEqual([2, 3, 4, 5, 6, 7]);
    for (const { width, verdict } of engaged) {
      expect(verdict.word).toBe('equal');
      expect(of(width).every(({ outcome, auditBytes, audits, rounds }) => outcome === 'equal' && auditBytes === 0 && audits === rounds)).toBe(true);
    }
  });

  it('declines width 8, where the run shows other bytes of state, whether or not a token changes', () => {
    const eight = found.widths.find(({ width }) => width === 8)!;
    expect(eight.decision).toBe('override');
    expect(['drift', 'tie', 'defect']).toContain(eight.verdict.word);
    expect(eight.verdict.sentence).toMatch(/ the state was compared with single steps: [1-9][\d,]* bytes differ, first round \d+, layer 0 · .* The gate was OVERRIDDEN\.$/);
    for (const { fork, outcome } of of(8)) {
      expect(outcome).toBe(fork === null ? 'equal' : 'differs');
      if (fork !== null) expect(fork.word).toBe(Number(fork.gap) <= Number(fork.floor) ? 'tie' : 'defect');
    }
    expect(overridden.verdict.word).toBe(eight.verdict.word);
  });

  it('keeps what each burst emitted, and the text of every id', async () => {
    for (const { ids, emitted, fork, prompt } of found.runs) {
      const classic = found.classic[prompt]!.ids;
      expect(ids).toHaveLength(emitted);
      expect(ids!.findIndex((id, i) => id !== classic[i])).toBe(fork?.token ?? -1);
    }
    const texts = new Map(found.texts!.ids.map((id, i) => [id, found.texts!.texts[i]!]));
    expect([...texts.keys()]).toEqual([...texts.keys()].toSorted((a, b) => a - b));
    const { ids } = found.classic[0]!;
    expect(ids.map((id) => texts.get(id))).toEqual((await target.detokenize(ids)).pieces);
  });

  it('runs a declined width classic when obeyed', async () => {
    const { verdict, parity: obeyed } = await parity({ widths: [4, 8] });
    expect(obeyed.widths.map(({ width, decision, equal, declined, rounds }) => ({ width, decision, equal, declined, ran: rounds > 0 }))).toEqual([
      { width: 4, decision: 'engage', equal: 4, declined: 0, ran: true },
      { width: 8, decision: 'decline', equal: 0, declined: 4, ran: false },
    ]);
    expect(obeyed.runs.filter(({ width }) => width === 8).every(({ outcome, emitted, fork }) => outcome === 'declined' && emitted === 32 && fork === null)).toBe(true);
    expect(verdict).toMatchObject({ word: 'declined', sentence: expect.stringMatching(/^Width 8 is declined; width 4 emits classic text\. Width 8: The gate declined: .* 4 prompts ran classic\.$/) as string });
  });
});

describe('a burst that prefills as if the prompt were a verify block', () => {
  /** The sentence that the forks of these runs call for. */
  function expected(runs: ReportOf<'parity'>['parity']['runs']): RegExp {
    const forked = [...new Set(runs.filter(({ fork }) => fork !== null).map(({ prompt }) => prompt))];
    if (forked.length === 0) return /^No burst leaves classic text/;
    const fixed = forked.every((prompt) => new Set(runs.filter((run) => run.prompt === prompt).map(({ fork }) => fork?.token ?? -1)).size === 1);
    return fixed ? /^Every burst leaves classic text at the same token whatever the width .*the prefill or the forward path, not rewind or accept rule\.$/ : /^The fork moves with the width /;
  }

  it('leaves classic text, and what is said of the widths is what the forks show', async () => {
    const long = await promptsOf(12, 160);
    const { parity: found } = await parity({ prompts: long, tokens: 64, switches: { 'burst.prefill': 'verify' } });
    expect(found.invariance).toMatch(expected(found.runs));
    expect(found.runs.some(({ fork }) => fork !== null)).toBe(true);
    for (const { fork, prompt } of found.runs) if (fork !== null) expect(found.classic[prompt]!.ids[fork.token]).toBe(fork.classicId);
  }, 120_000);

  it('stays classic under the exact kernels', async () => {
    const { verdict, parity: found } = await parity({ widths: [2, 8], switches: { ...exact, 'burst.prefill': 'verify' }, audit: true });
    expect(verdict.word).toBe('equal');
    expect(sum(found.runs.map(({ auditBytes }) => auditBytes))).toBe(0);
  });
});

it('compares the MTP head as well, in batches, and ends at the end of text', async () => {
  const { verdict, parity: found } = await parity({ drafter: mtpPath, widths: [2, 4, 8], switches: exact, batch: 4, audit: true, ignoreEos: false, tokens: 64 });
  expect(verdict.word).toBe('equal');
  expect(found.drafter).toMatchObject({ family: 'mtp', blockSize: null, taps: ['8.final_norm'] });
  expect(sum(found.runs.map(({ auditBytes }) => auditBytes))).toBe(0);
});

it('asks the gate for the rows that run together', async () => {
  const { parity: found } = await parity({ widths: [2, 3], tokens: 8, batch: 3, prompts: prompts.slice(0, 4) });
  expect(found.widths.map(({ width, decision, declined }) => [width, decision, declined])).toEqual([
    [2, 'engage', 0],
    [3, 'decline', 4],
  ]);
});

it('cuts the prompts of a batch to one length', async () => {
  const mixed: Prompt[] = [{ type: 'draw', draw: 0, length: 20 }, { type: 'draw', draw: 1, length: 12 }, { type: 'draw', draw: 2, length: 9 }];
  const { parity: found } = await parity({ prompts: mixed, batch: 2, switches: exact, tokens: 8 });
  expect(found.prompts.map(({ ids }) => ids.length)).toEqual([12, 12, 9]);
  expect(found.runs.map(({ prompt, width, outcome }) => `${prompt} ${width} ${outcome}`)).toEqual(['0 2 equal', '1 2 equal', '0 4 equal', '1 4 equal', '2 2 equal', '2 4 equal']);
});

it('is void where a burst has no round: an end of text at once proves nothing', async () => {
  const [first] = (await parity({ prompts: prompts.slice(0, 1), switches: exact })).parity.classic;
  const ending = modelWith((open) => open());
  const model = { ...ending, info: { ...ending.info, eos: [first!.ids[0]!] } };
  const { verdict, parity: found } = await reportOf(experimentOf({ prompts: prompts.slice(0, 1), ignoreEos: false, switches: exact }), { model });
  expect(found.runs.map(({ outcome, end, emitted }) => [outcome, end, emitted])).toEqual([['not run', 'eos', 1], ['not run', 'eos', 1]]);
  expect(verdict.word).toBe('void');
});

it('finds an engine that does not repeat itself', async () => {
  let sessions = 0;
  // Every second session computes with another matmul, as an engine that tunes itself might.
  const wrap = async (open: () => Promise<Session>): Promise<Session> => {
    sessions += 1;
    const own = await open();
    return sessions % 2 === 0 ? delegate(own, (inner) => ({ decode: (ids, options) => inner.decode(ids.map((id) => (id + 1) % 4096), options) })) : own;
  };
  const { verdict } = await reportOf(experimentOf({ prompts: prompts.slice(0, 1), gate: 'override', switches: exact }), { model: modelWith(wrap) });
  expect(verdict).toMatchObject({ word: 'defect', sentence: expect.stringContaining('Not reproducible: classic decode run twice differs in') as string });
});

describe('bad input', () => {
  it('a context that is too short, and a batch whose ended rows could run into its end', async () => {
    expect((await problemOf(parity({ tokens: 2030 }))).title).toContain("beyond the model's context of 2,048");
    expect((await problemOf(parity({ tokens: 1200, batch: 2 }))).title).toContain("beyond the model's context of 2,048");
  });

  it('a width without a draft row, ids beyond the vocabulary, a drafter that is none', async () => {
    expect((await problemOf(parity({ widths: [1] }))).title).toBe('A width of 1 has no row for a draft');
    expect((await problemOf(parity({ prompts: [{ type: 'ids', ids: [4096] }] }))).title).toBe('Token id 4096 is beyond the vocabulary of 4,096');
    await expect(parity({ drafter: '/nonexistent' })).rejects.toThrow(/no such folder/);
  });
});

it('keeps the runs that were done when it is cancelled', async () => {
  const controller = new AbortController();
  const onProgress = ({ done }: { done: number }): void => {
    if (done === 3) controller.abort();
  };
  const { complete, incompleteReason, parity: found } = await reportOf(experimentOf({ switches: exact }), { call: { signal: controller.signal, onProgress } });
  expect({ complete, runs: found.runs.length, why: incompleteReason }).toEqual({ complete: false, runs: 3, why: expect.stringMatching(/cancelled/i) as string });
  expect(found.prompts.length).toBe(found.classic.length);
});
