// Classic decode against bursts under the exact kernels, on the whole grid: prompts x widths 2 to 8 x 128 tokens, one row and four rows at a time, the state audited after every round.
import { expect, it } from 'vitest';
import { GateMemo } from '../../../src/engine/probes/gate/memo';
import type { Prompt } from '../../../src/shared/experiment';
import type { ParityResult } from '../../../src/shared/results/parity';
import { sample } from '../product';
import { dflashPath, exact, promptsOf, reportOf, sum } from './support';

const widths = [2, 3, 4, 5, 6, 7, 8];
const tokens = 128;
const batch = 4;
const prompts = await promptsOf(52, 24);
const groups = Array.from({ length: prompts.length / batch }, (_, i) => i);
/** One thread each: two runs go side by side, and threads that wait for one another would only cost. */
const switches = { ...exact, threads: 1 };
/** The gate is asked once for all groups. */
const memo = new GateMemo();

async function grid(own: Prompt[], rows: number): Promise<ParityResult> {
  const { verdict, parity } = await reportOf({ kind: 'parity', model: sample, drafter: dflashPath, prompts: own, widths, tokens, batch: rows, gate: 'obey', ignoreEos: true, audit: true, switches }, { memo });
  expect(verdict.word, verdict.sentence).toBe('equal');
  return parity;
}

it.each(groups)(
  'prompts of group %i',
  async (group) => {
    const own = prompts.slice(group * batch, (group + 1) * batch);
    // Side by side: while one waits for the engine the other computes.
    const [alone, together] = await Promise.all([grid(own, 1), grid(own, batch)]);
    for (const { runs, widths: all, noise } of [alone, together]) {
      expect(runs).toHaveLength(own.length * widths.length);
      for (const run of runs) {
        expect(run).toMatchObject({ outcome: 'equal', fork: null, emitted: tokens, end: 'budget', auditBytes: 0, auditFirst: '' });
        expect(run.rounds).toBeGreaterThan(0);
        expect(run.audits).toBe(run.rounds);
      }
      expect(all.map(({ width, decision, equal }) => [width, decision, equal])).toEqual(widths.map((width) => [width, 'engage', own.length]));
      expect(noise.repeatDifferingBytes).toBe(0);
      // Bursts that accept nothing or everything would prove little.
      expect(sum(runs.map(({ accepted }) => accepted))).toBeGreaterThan(0);
      expect(sum(runs.map(({ rewinds }) => rewinds))).toBeGreaterThan(0);
    }
    expect(together.classic).toEqual(alone.classic);
    // The rows of a batch accept different counts, and still the same ids come out.
    const accepts = together.runs.filter(({ width }) => width === batch).map(({ acceptedPerRound }) => acceptedPerRound.join());
    expect(new Set(accepts).size).toBeGreaterThan(1);
  },
  600_000,
);
