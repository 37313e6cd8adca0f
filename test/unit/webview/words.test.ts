import { describe, expect, it } from 'vitest';
import { experimentInWords } from '../../../src/shared/experimentWords';
import { recordOf } from '../../../src/shared/record';
import { baseName } from '../../../src/shared/reportFacts';
import { verdictWords } from '../../../src/shared/verdictWord';
import { arranged } from '../../../src/webview/model/entries';
import { cellInWords, firstState, positionInWords, verdictMeans } from '../../../src/webview/model/words';
import { bisectReport, bisectRun, diffReport, sampleReport } from '../../view/reports';

describe('words', () => {
  it('name the experiment', () => {
    expect(experimentInWords(bisectReport([]).experiment)).toBe('Block (B) against chain (A), width  · 1 synthetic draw over a prompt of 64 ids · default switches');
    expect(experimentInWords({ kind: 'bisect', model: 'm', widths: [2, 8], input: { type: 'text', text: 'hello' }, walk: 128, switches: { matmul: 'qmm', threads: 2 } })).toBe(
      'Block (B) against chain (A), width 2, 8 · prompt of 5 characters · walk of 128 tokens · matmul qmm, threads 2',
    );
    expect(experimentInWords(diffReport().experiment)).toBe('Two tensor files, tensor by tensor: before.safetensors (A) against after.safetensors (B)');
  });

  it('take the last part of any path', () => {
    expect(baseName('C:\\models\\qwen\\')).toBe('qwen');
    expect(baseName('/')).toBe('');
  });

  it('say what a cell holds', () => {
    const run = bisectRun({ seed: 3, layers: 4, width: 4, first: { layer: 0, tap: 'conv', position: 1 } });
    expect(cellInWords(run, 0, 0)).toBe('embedding, position 0: equal, 384 bytes compared');
    expect(cellInWords(run, 1, 1)).toMatch(/^layer 0, position 1: .* of 8,832 bytes differ, max ULP \d+, relative L2 .*, first divergence$/);
    run.cells.rowBytes[0] = 0;
    expect(cellInWords(run, 0, 0)).toBe('embedding, position 0: not compared');
    expect(positionInWords(run, 3)).toBe('position 3 (absolute 67, id 42)');
  });

  it('name the state where it alone differs', () => {
    const run = bisectRun({ seed: 3, layers: 4, width: 4, first: null });
    const state = [{ layer: 2, tensor: 'recurrent_state', bytes: 16, differingBytes: 1, maxUlp: 1, relL2: 0.1, firstIndex: 7 }];
    expect(firstState(run)).toBeUndefined();
    expect(recordOf(bisectReport([{ ...run, state }]))).toContain('state, layer 2 · recurrent_state');
  });

  it('explain every verdict', () => {
    expect(Object.keys(verdictMeans)).toEqual([...verdictWords]);
  });

  it('sum a report up in Markdown, with what was not covered', () => {
    const text = recordOf({ ...sampleReport(), complete: false, incompleteReason: 'cancelled' });
    expect(text).toMatch(/^\| width 2, draw 0 \| equal \| 0 of /m);
    expect(text).toContain('in_proj_qkv, position 0');
    expect(text).toContain('**Not complete.** cancelled');
    expect(text).toContain('- rewind after a partial accept');
  });
});

describe('tensor entries', () => {
  const { entries } = diffReport().diff;
  const view = { sort: 'bytes', descending: true, onlyDiffering: false, filter: '' } as const;

  it('sort what cannot be compared as gravest, then by share', () => {
    const names = arranged(entries, view).map(({ name, in: where }) => `${where} ${name}`);
    expect(names.slice(0, 2).map((name) => name[0])).toEqual(['a', 'b']);
    const shares = arranged(entries, view).slice(3).map(({ differingBytes, bytes }) => differingBytes / bytes); // prettier-ignore
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  });

  it('sort names with their numbers in order', () => {
    const names = arranged(entries, { ...view, sort: 'name', descending: false }).map(({ name }) => Number(/\d+/.exec(name)?.[0]));
    expect(names).toEqual(names.toSorted((a, b) => a - b));
  });

  it('filter by name and by difference', () => {
    expect(arranged(entries, { ...view, filter: ' LAYERS.3.' })).toHaveLength(1);
    const differing = arranged(entries, { ...view, onlyDiffering: true });
    expect(differing.length).toBeLessThan(entries.length);
    expect(differing.every((entry) => entry.in !== 'both' || entry.dtypeA !== entry.dtypeB || entry.differingBytes > 0)).toBe(true);
  });
});
