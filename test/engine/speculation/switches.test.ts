// The switch matrix on the sample model: which switches change bytes, which only counters, which nothing.
import { describe, expect, it } from 'vitest';
import type { SwitchesExperiment } from '../../../src/shared/experiment';
import type { ReportOf } from '../../../src/shared/report';
import { sample } from '../product';
import { exact, problemOf, reportOf } from './support';

type Matrix = SwitchesExperiment['matrix'];
const gateBase = { kind: 'gate', model: sample, drafter: null, widths: [8], draws: 1, promptLength: 16, walk: 0, batch: 1, switches: {}, override: false } as const;
const experimentOf = (matrix: Matrix, base: SwitchesExperiment['base'] = { ...gateBase, widths: [8] }): SwitchesExperiment => ({ kind: 'switches', model: sample, matrix, base });
const matrix = (axes: Matrix, base?: SwitchesExperiment['base']): Promise<ReportOf<'switches'>> => reportOf(experimentOf(axes, base));

describe('controls', () => {
  it('are live by bytes where they change one, and the deciding one is named', async () => {
    const { verdict, switches: found } = await matrix([{ name: 'matmul', values: ['auto', 'qmv', 'exact'] }, { name: 'threads', values: [1, 2] }]);
    expect(found.combinations.map(({ switches, verdict: { word } }) => [switches['matmul'], switches['threads'], word])).toEqual([
      ['auto', 1, 'declined'],
      ['auto', 2, 'declined'],
      ['qmv', 1, 'equal'],
      ['qmv', 2, 'equal'],
      ['exact', 1, 'equal'],
      ['exact', 2, 'equal'],
    ]);
    expect(found.controls).toMatchObject([
      { name: 'matmul', live: 'bytes', decides: true, evidence: expect.stringMatching(/^matmul auto against qmv changes bytes/) as string },
      { name: 'threads', live: 'counters', decides: false, evidence: expect.stringMatching(/^threads 1 against 2 runs other kernels, threads or instructions; no byte changes$/) as string },
    ]);
    // Threads change no byte: three classes of bytes in six combinations.
    expect(new Set(found.combinations.map(({ bytes }) => bytes)).size).toBe(3);
    expect(verdict).toMatchObject({ word: 'declined', sentence: 'Of 6 combinations: 4 equal, 2 declined. The verdict changes with matmul.' });
  });

  it('are void where nothing changes with them, and a matrix of such switches alone is void', async () => {
    // A prefill under "auto" is batched where the arm's attention is per position.
    const { verdict, switches: found } = await matrix([{ name: 'prefillAttention', values: ['auto', 'batched'] }], { ...gateBase, widths: [2], switches: { attention: 'per_position' } });
    expect(found.controls).toMatchObject([{ live: 'void', decides: false, evidence: 'no byte and no counter of a prefill, single steps and a verify block changes with it' }]);
    expect(found.combinations.map(({ verdict: { word } }) => word)).toEqual(['equal', 'equal']);
    expect(verdict).toMatchObject({ word: 'void', sentence: expect.stringContaining('Inert here, so void as a control: prefillAttention.') as string });
  });

  it('are named beside live ones', async () => {
    const { verdict } = await matrix([{ name: 'prefillAttention', values: ['auto', 'batched'] }, { name: 'matmul', values: ['auto', 'exact'] }], { ...gateBase, widths: [8] });
    expect(verdict).toMatchObject({ word: 'declined', sentence: 'Of 4 combinations: 2 equal, 2 declined. The verdict changes with matmul. Inert here, so void as a control: prefillAttention.' });
  });

  it('of one value control nothing, so the whole matrix is void', async () => {
    const { verdict, switches: found } = await matrix([{ name: 'matmul', values: ['exact', 'exact'] }], { ...gateBase, widths: [2] });
    expect(found.combinations).toHaveLength(1);
    expect(found.controls).toMatchObject([{ live: 'void', evidence: 'it has one value here', values: ['exact'] }]);
    expect(verdict).toMatchObject({ word: 'void', sentence: expect.stringMatching(/Inert here, so void as a control: matmul\.$/) as string });
  });
});

it('runs the prefill comparison under the switches of the burst', async () => {
  const base = { kind: 'prefill', model: sample, prompt: { type: 'default' }, partitions: [0], switches: { threads: 1 } } as const;
  const { verdict, switches: found } = await matrix([{ name: 'burst.prefill', values: ['causal', 'verify'] }, { name: 'attention', values: ['per_position', 'exact'] }, { name: 'matmul', values: ['exact'] }], { ...base, partitions: [0] });
  expect(found.combinations.map(({ switches, verdict: { word } }) => `${switches['burst.prefill']} ${switches['attention']} ${word === 'equal'}`)).toEqual(['causal per_position true', 'causal exact true', 'verify per_position false', 'verify exact true']);
  expect(found.controls).toMatchObject([{ name: 'burst.prefill', live: 'bytes', decides: true }, { name: 'attention', decides: true }, { name: 'matmul', live: 'void', decides: false }]);
  expect(verdict.sentence).toContain('The verdict changes with burst.prefill and attention.');
});

it.each(['replay', 'rewind'] as const)('runs the %s', async (kind) => {
  const sequence = { model: sample, width: 8, tokens: 16, prompt: { type: 'draw', draw: 0, length: 16 }, accepts: { type: 'kept', kept: [3, 2] }, reference: null, switches: exact } as const;
  const base = kind === 'replay' ? { kind, ...sequence, accepts: { type: 'kept' as const, kept: [3, 2] }, fills: ['wrong' as const], forms: ['block' as const] } : { kind, ...sequence, accepts: { type: 'kept' as const, kept: [3, 2] }, batch: 1 };
  const { switches: found } = await matrix([{ name: 'matmul', values: ['auto', 'exact'] }], base);
  expect(found.combinations.map(({ verdict: { word } }) => word === 'equal')).toEqual([false, true]);
  expect(found.controls[0]).toMatchObject({ live: 'bytes', decides: true });
});

it('refuses unknown switches and values, and more combinations than it runs', async () => {
  expect((await problemOf(matrix([{ name: 'warp', values: ['a'] }]))).title).toBe('There is no switch "warp"');
  expect((await problemOf(matrix([{ name: 'matmul', values: ['auto', 'fast'] }]))).title).toBe('matmul cannot be "fast"');
  const threads = Array.from({ length: 16 }, (_, i) => i + 1);
  expect((await problemOf(matrix([{ name: 'threads', values: threads }, { name: 'matmul', values: ['auto', 'qmv', 'qmm', 'exact'] }, { name: 'rope', values: ['row', 'block'] }]))).title).toBe('These switches have 128 combinations, at most 64 are run');
});

it('keeps the combinations that were done when it is cancelled', async () => {
  const controller = new AbortController();
  const onProgress = ({ done }: { done: number }): void => {
    if (done === 1) controller.abort();
  };
  const { complete, switches: found } = await reportOf(experimentOf([{ name: 'matmul', values: ['auto', 'qmv', 'exact'] }]), { call: { signal: controller.signal, onProgress } });
  expect([complete, found.combinations.length]).toEqual([false, 1]);
});
