// Classic decode against bursts under the exact kernels, on the whole grid: prompts x widths 2 to 8 x 128 tokens, the state audited after every round.
import { expect, it } from 'vitest';
import { GateMemo } from '../../../src/engine/probes/gate/memo';
import { sample } from '../product';
import { dflashPath, exact, promptsOf, reportOf, sum } from './support';

const widths = [2, 3, 4, 5, 6, 7, 8];
const tokens = 128;
/** Prompts of one run: as many as the larger batch has. */
const groupSize = 4;
const prompts = await promptsOf(52, 24);
const groups = Array.from({ length: prompts.length / groupSize }, (_, i) => i);

/** One test a group of prompts. The gate is asked once. */
export function parityGrid(batch: number): void {
  const memo = new GateMemo();
  it.each(groups)(
    'prompts of group %i',
    async (group) => {
      const own = prompts.slice(group * groupSize, (group + 1) * groupSize);
      const { verdict, parity } = await reportOf({ kind: 'parity', model: sample, drafter: dflashPath, prompts: own, widths, tokens, batch, gate: 'obey', ignoreEos: true, audit: true, switches: exact }, { memo });
      expect(verdict.word, verdict.sentence).toBe('equal');
      expect(parity.runs).toHaveLength(own.length * widths.length);
      for (const run of parity.runs) {
        expect(run).toMatchObject({ outcome: 'equal', fork: null, emitted: tokens, end: 'budget', auditBytes: 0, auditFirst: '' });
        expect(run.rounds).toBeGreaterThan(0);
        expect(run.audits).toBe(run.rounds);
      }
      expect(parity.widths.map(({ width, decision, equal }) => [width, decision, equal])).toEqual(widths.map((width) => [width, 'engage', own.length]));
      expect(parity.noise.repeatDifferingBytes).toBe(0);
      // Bursts that accept nothing or everything would prove little.
      expect(sum(parity.runs.map(({ accepted }) => accepted))).toBeGreaterThan(0);
      expect(sum(parity.runs.map(({ rewinds }) => rewinds))).toBeGreaterThan(0);
    },
    600_000,
  );
}
