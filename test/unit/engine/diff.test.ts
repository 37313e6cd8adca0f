// The tensor-file probe.
import { describe, expect, it } from 'vitest';
import { diffFiles } from '../../../src/engine/probes/diff';
import type { DiffReport } from '../../../src/shared/report';
import { formatReport, readReport } from '../../../src/shared/reportFile';
import { ReferenceEngine } from './referenceEngine';
import { ReferenceTensor } from './referenceTensor';

async function diff(a: string, b: string, signal?: AbortSignal): Promise<DiffReport> {
  const engine = new ReferenceEngine();
  const origin = { engine: engine.info(), extensionVersion: '1', location: 'cli', startedAt: new Date(0) } as const;
  return diffFiles(engine, origin, { kind: 'diff', a, b }, { signal });
}

describe('two files', () => {
  it('names what only one has, what has another shape, and what differs', async () => {
    const report = await diff('a', 'b');
    expect(report.diff.entries.map((entry) => [entry.name, entry.in, entry.differingBytes])).toEqual([['same', 'both', 0], ['changed', 'both', 1], ['reshaped', 'both', 0], ['onlyA', 'a', 0], ['onlyB', 'b', 0]]);
    expect(report.diff.entries[1]).toMatchObject({ bytes: 12, differingElements: 1, firstIndex: 1, firstA: 2, firstB: 2.5, maxAbs: 0.5 });
    expect(report.diff.entries[2]).toMatchObject({ shapeA: [2, 1], shapeB: [1, 2], bytes: 0, firstIndex: -1 });
    expect(report.verdict).toEqual({ word: 'drift', sentence: '4 tensors of 5 differ, first changed: 1 of 12 bytes, first at element 1.' });
    expect(readReport(formatReport(report)).ok).toBe(true);
    expect(ReferenceTensor.open).toBe(0);
  });

  it('are equal to themselves; no tensors are nothing', async () => {
    expect((await diff('a', 'a')).verdict).toEqual({ word: 'equal', sentence: 'All 4 tensors have the same bytes.' });
    expect((await diff('empty', 'empty')).verdict.word).toBe('void');
  });

  it('cancelled are incomplete', async () => {
    const report = await diff('a', 'b', AbortSignal.abort());
    expect(report).toMatchObject({ complete: false, incompleteReason: 'The run was cancelled' });
    expect(ReferenceTensor.open).toBe(0);
  });
});
