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

  it('may hold a hundred and fifty thousand tensors', async () => {
    const engine = new ReferenceEngine();
    let jobs = 0;
    const compare = engine.diff.bind(engine);
    engine.diff = (...args) => {
      jobs += 1;
      return compare(...args);
    };
    engine.tensors = (file) => Promise.resolve({ metadata: {}, tensors: Array.from({ length: 150_000 }, (_, i) => ({ name: `${i % 3 === 0 ? file : 'both'}.${i}`, tensor: new ReferenceTensor([1], new Float32Array(1)) })) });
    const origin = { engine: engine.info(), extensionVersion: '1', location: 'cli', startedAt: new Date(0) } as const;
    const report = await diffFiles(engine, origin, { kind: 'diff', a: 'a', b: 'b' });
    expect(report.diff.entries).toHaveLength(200_000);
    expect(report.diff.entries.filter((entry) => entry.in === 'both' && entry.bytes === 4)).toHaveLength(100_000);
    expect(jobs).toBeLessThan(1000);
    expect(ReferenceTensor.open).toBe(0);
  }, 60_000);

  it('cancelled are incomplete', async () => {
    const report = await diff('a', 'b', AbortSignal.abort());
    expect(report).toMatchObject({ complete: false, incompleteReason: 'The run was cancelled' });
    expect(ReferenceTensor.open).toBe(0);
  });
});
