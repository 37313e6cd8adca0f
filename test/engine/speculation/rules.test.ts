// Accept rules that are wrong on purpose: parity finds each and names prompt, token and round.
import { describe, expect, it } from 'vitest';
import { burstGroup, type BurstContext } from '../../../src/engine/probes/parity/burstArm';
import { classicGroup } from '../../../src/engine/probes/parity/classicArm';
import { compareRow } from '../../../src/engine/probes/parity/compare';
import { verdictOf } from '../../../src/engine/probes/parity/verdict';
import { Stopwatch } from '../../../src/engine/probes/probe';
import { greedyRule, longestCommonPrefix, type AcceptRule } from '../../../src/engine/speculative/acceptRule';
import type { ParityRun } from '../../../src/shared/results/parity';
import type { Verdict } from '../../../src/shared/verdict';
import { oracle, planned } from './planned';
import { engine, exact, promptsOf, target } from './support';

const prompts = (await promptsOf(2, 24)).map((prompt) => (prompt.type === 'ids' ? prompt.ids : []));
const width = 4;
const context = { engine, model: target, watch: new Stopwatch(), call: {}, tokens: 24, eos: new Set<number>() };
const classic = await classicGroup(context, prompts, exact);
const texts = classic.rows.map(({ ids }) => ids);

/** In round r of row 0 the draft r mod 4 is wrong, in row 1 it is the next one. */
const drafter = planned(oracle(texts, 24, ({ row, round, draft }) => draft === (round + row) % width));

async function runs(rule: AcceptRule, batch: number): Promise<{ runs: ParityRun[]; verdict: Verdict }> {
  const found: ParityRun[] = [];
  const bursting: BurstContext = { ...context, drafter, audit: true, rule };
  for (let first = 0; first < prompts.length; first += batch) {
    const own = prompts.slice(first, first + batch);
    const one = batch === 1 && first > 0 ? { ...bursting, drafter: planned(oracle(texts.slice(first), 24, ({ round, draft }) => draft === (round + first) % width)) } : bursting;
    const { burst, audits } = await burstGroup(one, own, width, exact, { prefill: 'causal' });
    for (const row of own.keys()) found.push(compareRow({ prompt: first + row, width, burst, row, audit: audits[row]! }, classic.rows[first + row]!, classic.noise.floor));
  }
  return { runs: found, verdict: verdictOf(found, { decision: 'engage', reason: '' }, classic.noise, true) };
}

/** The next draft stands although the target chose another. */
const oneTooMany: AcceptRule = { accepted: (drafts, targets) => Math.min(drafts.length, longestCommonPrefix(drafts, targets) + 1), bonus: greedyRule.bonus };
const always: AcceptRule = { accepted: (drafts) => drafts.length, bonus: greedyRule.bonus };
/** The choice before the last accepted draft. */
const earlyBonus: AcceptRule = { accepted: greedyRule.accepted, bonus: (targets, accepted) => targets[Math.max(0, accepted - 1)]! };
const lateBonus: AcceptRule = { accepted: greedyRule.accepted, bonus: (targets, accepted) => targets[Math.min(targets.length - 1, accepted + 1)]! };

describe.each([1, 2])('in batches of %i', (batch) => {
  it('the greedy rule is equal, bytes of the state too', async () => {
    const { runs: found, verdict } = await runs(greedyRule, batch);
    expect(verdict.word).toBe('equal');
    expect(found.map(({ outcome, auditBytes, audits, rounds }) => ({ outcome, auditBytes, all: audits === rounds }))).toEqual(prompts.map(() => ({ outcome: 'equal', auditBytes: 0, all: true })));
    expect(found[0]!.acceptedPerRound.slice(0, 5)).toEqual([0, 1, 2, 3, 0]);
  });

  it('a rule that accepts one draft too many is found at the draft', async () => {
    const { runs: found, verdict } = await runs(oneTooMany, batch);
    // Prompt 1: the first draft of round 0 is wrong. Prompt 2: the second.
    expect(found.map(({ fork }) => fork)).toMatchObject([
      { token: 1, round: 0, row: 0, classicId: texts[0]![1], burstId: texts[0]![1]! + 1, word: 'defect' },
      { token: 2, round: 0, row: 1, classicId: texts[1]![2], burstId: texts[1]![2]! + 1 },
    ]);
    expect(verdict).toMatchObject({ word: 'defect', sentence: expect.stringContaining(`First at token 1 (round 0, row 0) of prompt 1: classic decode chooses ${texts[0]![1]}, the burst ${texts[0]![1]! + 1}`) as string });
  });

  it('a rule that accepts every draft is found at the first wrong one', async () => {
    const { runs: found, verdict } = await runs(always, batch);
    expect(found.map(({ outcome, fork }) => [outcome, fork?.token, fork?.round])).toEqual([['differs', 1, 0], ['differs', 2, 0]]);
    expect(verdict.word).toBe('defect');
    expect(found.every(({ rewinds }) => rewinds === 0)).toBe(true);
  });

  it.each([
    ['early', earlyBonus],
    ['late', lateBonus],
  ])('a bonus one row too %s is found where it is emitted', async (_, rule) => {
    const { runs: found, verdict } = await runs(rule, batch);
    for (const { outcome, fork, prompt } of found) {
      expect(outcome).toBe('differs');
      expect(fork!.classicId).toBe(texts[prompt]![fork!.token]);
      expect(fork!.burstId).not.toBe(fork!.classicId);
    }
    expect(verdict.sentence).toMatch(/^Of 2 prompts none is equal and 2 differ .*First at token \d+ \(round \d+, row \d+\) of prompt 1/);
  });
});
