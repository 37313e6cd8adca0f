import { describe, expect, it } from 'vitest';
import type { Accepted } from '../../../src/engine/probes/replay/accepts';
import { notesOf, shiftOf } from '../../../src/engine/probes/replay/logFindings';
import { Experiment } from '../../../src/shared/experiment';

const accepted = (changes: Partial<Accepted>): Accepted => ({ kept: [1], widths: [4], keptSum: 1, drafts: null, log: null, promptIds: [1, 2], promptTokens: 2, facts: {}, reference: [5], place: 'served.log', ...changes });
const given = { source: 'log', ids: [1, 2] } as const;
const notes = (changes: Partial<Accepted>, prompt: Parameters<typeof notesOf>[1] = { ...given, ids: [...given.ids] }): string[] => notesOf(accepted(changes), prompt, 'blake3:aa');

describe('what makes a replay one of another run than the log', () => {
  it('is nothing when prompt, model and sampling fit', () => {
    expect(notes({ facts: { model: 'target blake3:aa', sampling: ['temperature=0'] } })).toEqual([]);
  });

  it('is a prompt of another length, above all by one', () => {
    expect(notes({ promptTokens: 158 }, { source: 'ids', ids: [1, 2, 3] })).toEqual(['The request of the log had 158 prompt tokens, the prompt here has 3, so this is not the served run. Give the served prompt with --ids or --prompt-file.']);
    expect(notes({ promptTokens: 4 }, { source: 'ids', ids: [1, 2, 3] })[0]).toContain('one token short');
  });

  it('is another model, sampled text, or no prompt at all', () => {
    expect(notes({ facts: { model: 'other blake3:bb' } })[0]).toContain('another model');
    expect(notes({ facts: { sampling: ['temperature=0.7'] } })[0]).toContain('sampled at temperature 0.7');
    expect(notes({ promptIds: null, promptTokens: null }, { source: 'built-in text', ids: [1] })[0]).toContain('after another prompt');
  });
});

describe('a reference that was cut at the wrong place', () => {
  const own = Array.from({ length: 32 }, (_, i) => 100 + i);

  it('fits when it is moved by one token', () => {
    expect(shiftOf(own, own)).toBe('');
    expect(shiftOf(own, [7, ...own])).toContain('one token earlier');
    expect(shiftOf(own, own.slice(1))).toContain('one token later');
  });
});

describe('a matrix of switches', () => {
  it('has every switch once', () => {
    const base = { kind: 'prefill', model: 'm', prompt: { type: 'default' }, partitions: [0], switches: {} };
    const matrix = (...names: string[]): unknown => ({ kind: 'switches', model: 'm', matrix: names.map((name) => ({ name, values: ['a'] })), base });
    expect(Experiment.safeParse(matrix('matmul', 'rope')).success).toBe(true);
    expect(Experiment.safeParse(matrix('matmul', 'matmul')).error?.issues[0]?.message).toContain('given twice');
  });
});
