import { describe, expect, it } from 'vitest';
import { bisectGrid } from '../../../src/webview/model/bisectGrid';
import { differingCells } from '../../../src/webview/model/grid';
import { kernelGroups } from '../../../src/webview/model/kernelGroups';
import { indexOf, kernelOf, tapsOfCell } from '../../../src/webview/model/runIndex';
import { tapList } from '../../../src/webview/model/tapList';
import { bisectRun, randomReport } from '../../view/reports';

const run = bisectRun({ seed: 7, layers: 8, width: 8, first: { layer: 2, tap: 'conv', position: 3 } });

describe('the index of a run', () => {
  it('finds the taps of every cell, in data order, for random runs', () => {
    for (let seed = 1; seed <= 15; seed++) {
      const [random] = randomReport(seed).bisect.runs;
      const { differing, cells, rows } = random!;
      const index = indexOf(random!);
      const expected = new Map<number, number[]>();
      differing.row.forEach((row, i) => {
        const cell = row * cells.positions + differing.position[i]!;
        expected.set(cell, [...(expected.get(cell) ?? []), i]);
      });
      for (let cell = 0; cell < rows.length * cells.positions; cell++) {
        expect(tapsOfCell(index, Math.floor(cell / cells.positions), cell % cells.positions)).toEqual(expected.get(cell) ?? []);
      }
      expect([...differingCells(bisectGrid(random!))]).toEqual([...expected.keys()].toSorted((a, b) => a - b));
    }
  });

  it('is made once a run', () => {
    expect(indexOf(run)).toBe(indexOf(run));
  });
});

describe('the taps of a cell', () => {
  it('are equal until the first that differs', () => {
    const taps = tapList(run, 3, 3);
    const first = taps.findIndex(({ differing }) => differing >= 0);
    expect(taps[first]?.tap).toBe('conv');
    expect(taps.slice(0, first).map(({ tap }) => tap)).toEqual(['layer_input', 'input_norm', 'in_proj_qkv', 'in_proj_z', 'in_proj_b', 'in_proj_a']);
    expect(taps.map(({ tap }) => tap)).toEqual(run.tapsCompared['gated_delta']);
  });

  it('carry the kernel of each arm', () => {
    expect(kernelOf(indexOf(run), 2, 'in_proj_qkv')).toEqual({ layer: 2, op: 'in_proj_qkv', a: 'qmv_b4_g64', b: 'qmm_b4_g64' });
    expect(tapList(run, 3, 3).find(({ tap }) => tap === 'conv')?.kernel).toBeUndefined();
  });

  it('include one that the list of compared names forgot', () => {
    const forgot = { ...run, tapsCompared: {} };
    expect(tapList(forgot, 3, 3).map(({ tap }) => tap)).toContain('conv');
  });

  it('are none for a row that does not exist', () => {
    expect(tapList(run, 99, 0)).toEqual([]);
  });
});

describe('kernel groups', () => {
  it('join layers that ran the same pair', () => {
    const groups = kernelGroups(run);
    expect(groups[0]).toEqual({ op: 'in_proj_qkv', a: 'qmv_b4_g64', b: 'qmm_b4_g64', layers: '0-2, 4-6' });
    expect(groups.find(({ op }) => op === 'q_proj')?.layers).toBe('3, 7');
    expect(groups.find(({ op }) => op === 'logits')?.layers).toBe('');
  });
});
