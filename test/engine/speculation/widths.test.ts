// The width sweep on the sample pair: what is the same in every run, and what the clock gave.
import { describe, expect, it } from 'vitest';
import type { WidthsExperiment } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { formatReport } from '../../../src/shared/reportFile';
import { sample } from '../product';
import { dflashPath, exact, mtpPath, problemOf, promptsOf, reportOf } from './support';

const prompts = await promptsOf(2, 24);
const experimentOf = (changes: Partial<WidthsExperiment> = {}): WidthsExperiment => ({ kind: 'widths', model: sample, drafter: dflashPath, prompts, widths: [2, 4, 8], tokens: 24, repeats: 2, ignoreEos: true, switches: {}, ...changes });
const widths = (changes: Partial<WidthsExperiment> = {}): Promise<ReportOf<'widths'>> => reportOf(experimentOf(changes));

/** The report without what may differ from run to run. */
const lasting = (report: ReportOf<'widths'>): string => formatReport({ ...report, run: { ...report.run, cost: {}, durationMs: 0, startedAt: '', sweep: { open: [], close: [], arms: [] } } });

describe('a sweep', async () => {
  const report = await widths();
  const { widths: found, run: { sweep } } = report;

  it('has every width with its gate, rounds and acceptance', () => {
    expect(found.widths.map(({ used, decision, verdict: { word } }) => [used, decision, word])).toEqual([[2, 'engage', 'equal'], [4, 'engage', 'equal'], [8, 'decline', 'declined']]);
    for (const one of found.widths.slice(0, 2)) {
      expect(one).toMatchObject({ equalPrompts: 2, emitted: 48 });
      expect(one.accepted).toBeGreaterThan(0);
      expect(one.proposed).toBeGreaterThanOrEqual(one.accepted);
      // The first bonus of a prompt comes before any round; the last round of one is cut by a token at most.
      expect(one.rounds + one.accepted - (one.emitted - 2)).toBeLessThanOrEqual(2);
    }
    expect(found.widths[2]!.rounds).toBeGreaterThan(0);
    expect(found.classicEmitted).toBe(48);
    expect(report.verdict).toMatchObject({ word: 'declined', sentence: 'Widths 2 and 4 exact on what was tried; width 8 not exact, measured all the same.' });
  });

  it('brackets every repeat with classic decode and has a null arm', () => {
    expect([sweep!.open.length, sweep!.close.length]).toEqual([2, 2]);
    expect(sweep!.arms.map(({ name, width }) => [name, width])).toEqual([['classic, again', 0], ['width 2', 2], ['width 4', 4], ['width 8', 8]]);
    for (const { tokensPerSecond, againstClassic, phases, width } of sweep!.arms) {
      expect([tokensPerSecond.length, againstClassic.length]).toEqual([2, 2]);
      expect(phases.prefill).toBeGreaterThan(0);
      expect([phases.decode > 0, phases.verify > 0, phases.draft > 0]).toEqual(width === 0 ? [true, false, false] : [false, true, true]);
    }
  });

  it('is the same again but for the run', async () => {
    expect(lasting(await widths())).toBe(lasting(report));
  });
});

it('is exact at every width under the exact kernels, with the MTP head too', async () => {
  for (const drafter of [dflashPath, mtpPath]) {
    const { verdict, widths: found } = await widths({ drafter, switches: exact, repeats: 1 });
    expect(verdict).toMatchObject({ word: 'equal', sentence: 'Widths 2, 4 and 8 exact on what was tried.' });
    expect(found.widths.every(({ equalPrompts }) => equalPrompts === 2)).toBe(true);
  }
});

it('runs widths that the drafter limits to one once', async () => {
  const { widths: found } = await widths({ widths: [8, 16, 12], repeats: 1, switches: exact });
  expect(found.widths.map(({ asked, used }) => [asked, used])).toEqual([[8, 8]]);
});

it('says that a prefill of another path has other text, though the gate passes', async () => {
  const long = await promptsOf(12, 160);
  const { verdict, widths: found } = await widths({ prompts: long, widths: [2, 4], tokens: 64, repeats: 1, switches: { 'burst.prefill': 'verify' } });
  for (const { decision, equalPrompts, verdict: own } of found.widths) {
    expect(decision).toBe('engage');
    expect(equalPrompts).toBeLessThan(12);
    expect(own).toEqual({ word: 'defect', sentence: `The gate passes it, yet ${equalPrompts} of 12 prompts got the ids of classic decode.` });
  }
  expect(verdict).toMatchObject({ word: 'defect', sentence: 'Widths 2 and 4 passed by the gate, with other text.' });
}, 120_000);

it('refuses a drafter of another model, and what does not fit the context', async () => {
  await expect(widths({ drafter: '/nonexistent' })).rejects.toThrow(/no such folder/);
  expect((await problemOf(widths({ tokens: 2030 }))).title).toContain("beyond the model's context");
});

it('keeps what was measured when it is cancelled', async () => {
  const controller = new AbortController();
  const onProgress = ({ text }: { text: string }): void => {
    if (text.startsWith('repeat 2')) controller.abort();
  };
  const { complete, run: { sweep }, widths: found } = await reportOf(experimentOf({ widths: [2, 3], switches: exact, repeats: 3 }), { call: { signal: controller.signal, onProgress } });
  expect([complete, sweep!.close.length, found.widths.length]).toEqual([false, 1, 2]);
});
