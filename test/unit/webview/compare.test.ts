import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report, ReportOf } from '../../../src/shared/report';
import { readReport } from '../../../src/shared/reportFile';
import { align } from '../../../src/webview/model/compare/align';
import { comparisonOf, runCounts, sameResults } from '../../../src/webview/model/compare/comparison';
import { countsOf, deltaGrid, fates } from '../../../src/webview/model/compare/delta';
import { differencesOf } from '../../../src/webview/model/compare/facts';
import { pairRuns } from '../../../src/webview/model/compare/pairs';
import { comparisonRecord } from '../../../src/webview/model/compare/record';
import { comparisonAccount, countsInWords, firstInWords, outcomeInWords, unmatchedInWords } from '../../../src/webview/model/compare/words';
import type { Cell, Grid, Measure } from '../../../src/webview/model/grid';
import type { MappedRun } from '../../../src/webview/model/grids';
import { level, levelsOf, logScale } from '../../../src/webview/model/measures';
import { binsOf } from '../../../src/webview/model/plot';
import { reduce, type ShownState } from '../../../src/webview/compare/store';
import { random, type Random } from '../../view/random';
import { bisectReport, bisectRun, diffReport } from '../../view/reports';
import { speculationReports } from '../../view/speculationReports';

const measure: Measure = { name: 'bytes', label: 'Bytes', describes: 'Share', scale: 'share', tick: String };

function gridOf(labels: readonly string[], positions: number, values: readonly number[], first: Cell | null = null): Grid {
  return {
    rows: labels.map((label, layer) => ({ label, kind: 'attention', layer })),
    positions,
    first,
    measures: [measure],
    values: () => Float64Array.from(values),
    boundaries: [],
    holding: () => values.flatMap((value, cell) => (value > 0 ? [cell] : [])),
    place: ({ row, position }) => `${labels[row]!}@${position}`,
    about: () => 'about',
    facts: ({ row, position }) => [['bytes', String(values[row * positions + position])]],
    words: ({ row, position }) => `${labels[row]!}@${position}`,
  };
}

const runOf = (label: string, grid: Grid | null = null, word: MappedRun['word'] = 'drift'): MappedRun => ({ label, word, grid, text: null, taps: () => [] });

describe('two maps', () => {
  const a = gridOf(['x', 'y', 'z'], 3, [0, 0.5, 0.5, /* y */ 0.5, 0, -1, /* z */ 0.1, 0, 0.2], { row: 0, position: 1 });
  const b = gridOf(['w', 'x', 'z', 'q'], 4, [0, 0, 0, 0, /* x */ 0, 0, 0.25, 0.1, /* z */ 0.1, 0.9, 0.3, 0, /* q */ 1, 0, 0, 0], { row: 2, position: 1 });
  const aligned = align(a, b);
  const delta = deltaGrid(aligned);

  it('stand on the same axes: rows by label, in the order of A, each that only B has behind the one it follows', () => {
    expect(aligned.a.rows.map(({ label }) => label)).toEqual(['w', 'x', 'y', 'z', 'q']);
    expect(aligned.b.rows).toEqual(aligned.a.rows);
    expect([aligned.a.positions, aligned.b.positions, aligned.positionsA, aligned.positionsB]).toEqual([4, 4, 3, 4]);
    expect([aligned.rowsOnlyA, aligned.rowsOnlyB]).toEqual([['y'], ['w', 'q']]);
    expect([aligned.a.first, aligned.b.first]).toEqual([{ row: 1, position: 1 }, { row: 3, position: 1 }]);
    expect([...aligned.a.values('bytes')]).toEqual([-1, -1, -1, -1, 0, 0.5, 0.5, -1, 0.5, 0, -1, -1, 0.1, 0, 0.2, -1, -1, -1, -1, -1]);
    expect([...aligned.b.spread!('bytes')]).toEqual([...a.values('bytes'), ...b.values('bytes')]);
    expect(aligned.a.words({ row: 0, position: 2 })).toBe('w · position 2: not in this report');
    expect(aligned.b.holding('any')).toEqual([6, 7, 12, 13, 14, 16]);
  });

  it('give a map of what became of each cell', () => {
    // By hand: fixed 1, less 2, same 3, worse 4, new 5; 0 equal in both, -1 not in both.
    expect([...delta.values('bytes')]).toEqual([-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1, 3, 5, 4, -1, -1, -1, -1, -1]);
    expect(countsOf(delta, 'bytes')).toEqual({ fixed: 1, less: 1, same: 1, worse: 1, new: 1, equal: 1, notInBoth: 14 });
    expect(delta.words({ row: 3, position: 1 })).toBe('z@1: new');
    expect(delta.sign!({ row: 1, position: 1 }, 'bytes')).toBe('✓');
    expect(delta.sign!({ row: 1, position: 0 }, 'bytes')).toBe('');
    expect(delta.facts({ row: 1, position: 1 })).toEqual([['between A and B', 'fixed'], ['bytes A', '0.5'], ['bytes B', '0']]);
  });

  it('say what is not in both', () => {
    const run = { ...pairRuns([runOf('r', a)], [runOf('r', b)]).pairs[0]!, maps: { ...aligned, delta } };
    expect(unmatchedInWords(run)).toBe('Row only in A: y. 2 rows only in B: w, q. Positions 3 to 3 only in B.');
    expect(countsInWords(run)).toBe('1 fixed, 1 new, 2 changed (1 less, 1 more), 1 differ as before, 1 equal in both');
    expect([firstInWords(aligned.a), firstInWords(delta)]).toEqual(['x@1', 'nowhere']);
  });

  it('tell rows of one label apart by their order', () => {
    const twice = align(gridOf(['x', 'x'], 1, [0, 1]), gridOf(['x', 'x', 'x'], 1, [1, 0, 1]));
    expect([...deltaGrid(twice).values('bytes')]).toEqual([5, 1, -1]);
  });
});

function randomGrid(r: Random, labels: readonly string[]): Grid {
  const own = labels.filter(() => r.next() < 0.8);
  const rows = own.length === 0 ? [labels[0]!] : own;
  const positions = r.whole(1, 400);
  const chance = r.pick([0.001, 0.05, 0.7]);
  return gridOf(rows, positions, Array.from({ length: rows.length * positions }, () => (r.next() < 0.02 ? -1 : r.next() < chance ? r.pick([0.25, 0.5, 1, Number.MIN_VALUE, Infinity]) : 0)));
}

describe('for any two maps', () => {
  it('what became of the cells parts them: each in one kind, told by the values of both', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const r = random(seed);
      const labels = Array.from({ length: r.whole(1, 12) }, (_, i) => `row ${i}`);
      const [a, b] = [randomGrid(r, labels), randomGrid(r, labels)];
      const aligned = align(a, b);
      const delta = deltaGrid(aligned);
      const counts = countsOf(delta, 'bytes');
      expect(Object.values<number>({ ...counts }).reduce((sum, n) => sum + n, 0)).toBe(delta.rows.length * delta.positions);
      const valueIn = (grid: Grid, label: string, position: number): number => {
        const row = grid.rows.findIndex((one) => one.label === label);
        return row < 0 || position >= grid.positions ? -1 : grid.values('bytes')[row * grid.positions + position]!;
      };
      delta.values('bytes').forEach((code, cell) => {
        const label = delta.rows[Math.floor(cell / delta.positions)]!.label;
        const [va, vb] = [valueIn(a, label, cell % delta.positions), valueIn(b, label, cell % delta.positions)];
        const holds: Record<number, boolean> = { [-1]: va < 0 || vb < 0, 0: va === 0 && vb === 0, 1: va > 0 && vb === 0, 2: va > vb && vb > 0, 3: va === vb && va > 0, 4: vb > va && va > 0, 5: va === 0 && vb > 0 };
        expect(Object.entries(holds).filter(([, held]) => held).map(([key]) => Number(key)), `seed ${seed}, cell ${cell}`).toEqual([code]);
      });
    }
  });

  it('a new difference is drawn at every zoom, whatever shares its pixel', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const r = random(seed);
      const labels = Array.from({ length: r.whole(1, 12) }, (_, i) => `row ${i}`);
      const delta = deltaGrid(align(randomGrid(r, labels), randomGrid(r, labels)));
      const values = delta.values('bytes');
      const [main] = delta.measures;
      const levels = levelsOf(values, main!, logScale(values, main!), 64);
      const fresh = level.differs + fates.indexOf('new');
      for (const size of [delta.positions, Math.ceil(delta.positions / 3), 5]) {
        const from = r.whole(0, Math.max(1, delta.positions - size));
        for (const bin of binsOf({ from, size: Math.min(size, delta.positions - from) }, r.whole(1, 90))) {
          for (const row of delta.rows.keys()) {
            const cells = Array.from({ length: bin.last - bin.first }, (_, i) => row * delta.positions + bin.first + i);
            const drawn = Math.max(...cells.map((cell) => levels[cell]!));
            expect(drawn === fresh).toBe(cells.some((cell) => values[cell] === 5));
            expect(drawn >= level.differs).toBe(cells.some((cell) => values[cell]! > 0));
          }
        }
      }
    }
  });
});

describe('the runs of two reports', () => {
  it('belong together by label, then by order, and what is left is told', () => {
    const [a, b] = [['w2', 'w4', 'w8', 'w16'].map((label) => runOf(label)), ['w8', 'w4', 'w6'].map((label) => runOf(label))];
    const { pairs, onlyA, onlyB } = pairRuns(a, b);
    expect(pairs.map((pair) => [pair.a.label, pair.b.label, pair.by])).toEqual([['w2', 'w6', 'order'], ['w4', 'w4', 'label'], ['w8', 'w8', 'label']]);
    expect([onlyA.map(({ label }) => label), onlyB]).toEqual([['w16'], []]);
    expect(pairRuns([runOf('x'), runOf('x')], [runOf('x'), runOf('x'), runOf('y')]).onlyB.map(({ label }) => label)).toEqual(['y']);
  });
});

function fixture(name: string): ReportOf<'bisect'> {
  const read = readReport(readFileSync(path.join(import.meta.dirname, '../../fixtures/compare', `${name}.moire.json`), 'utf8'));
  if (!read.ok || read.report.kind !== 'bisect') throw new Error(name);
  return read.report;
}

describe('a fix', () => {
  const [before, after] = [fixture('before'), fixture('after')];
  const differing = before.bisect.runs[0]!.cells.differingBytes.filter((bytes) => bytes > 0).length;

  it('shows as fixed cells, an other verdict, and the switch that made it', () => {
    const comparison = comparisonOf(before, after);
    expect(runCounts(comparison.runs[0]!)).toMatchObject({ fixed: differing, new: 0, worse: 0 });
    expect(outcomeInWords(comparison)).toBe(`The verdict went from drift to equal; ${differing} cells fixed, 0 new, 0 changed.`);
    expect(comparison.differences).toContainEqual({ group: 'Experiment', name: 'switches · matmul', a: 'not told', b: 'exact' });
    expect(sameResults(comparison)).toBe(false);
    const record = comparisonRecord(comparison, { a: 'before', b: 'after' });
    expect(record).toMatch(new RegExp(`\\| width 8 · draw 1 of 1 \\| drift \\| equal \\| ${differing} \\| 0 \\|`));
  });

  it('shows as new cells the other way round', () => {
    expect(runCounts(comparisonOf(after, before).runs[0]!)).toMatchObject({ fixed: 0, new: differing });
  });

  it('is none between a report and itself', () => {
    const same = comparisonOf(before, structuredClone(before));
    expect([sameResults(same), outcomeInWords(same), same.differences]).toEqual([true, 'Both reports found the same.', []]);
  });

  it('is seen in one cell', () => {
    const other = structuredClone(before);
    const { cells } = other.bisect.runs[0]!;
    const cell = cells.differingBytes.findIndex((bytes, i) => bytes > 1 && i > 20);
    cells.differingBytes[cell] = cells.differingBytes[cell]! - 1;
    const comparison = comparisonOf(before, other);
    expect([sameResults(comparison), runCounts(comparison.runs[0]!)!.less]).toEqual([false, 1]);
    // And where only another measure sees it.
    const ulps = structuredClone(before);
    ulps.bisect.runs[0]!.cells.maxUlp[cell] = ulps.bisect.runs[0]!.cells.maxUlp[cell]! + 1;
    expect(sameResults(comparisonOf(before, ulps))).toBe(false);
  });

  it('of a report that ended early is none', () => {
    expect(sameResults(comparisonOf(before, { ...before, complete: false }))).toBe(false);
  });
});

describe('reports of every kind', () => {
  const all: readonly Report[] = [...speculationReports(), diffReport(), bisectReport([bisectRun({ seed: 1, layers: 3, width: 4, first: null })])];

  it.each(all.map((report) => [report.kind, report] as const))('%s: the same against itself, in words for every pair', (_, report) => {
    const same = comparisonOf(report, structuredClone(report));
    expect(sameResults(same)).toBe(true);
    expect(same.sayings).toEqual([]);
    for (const other of all) {
      const { sections } = comparisonAccount(comparisonOf(report, other), { a: 'a', b: 'b' });
      expect(sections.length).toBeGreaterThan(0);
    }
  });

  it('of two kinds have verdict and provenance alone', () => {
    const comparison = comparisonOf(all[0]!, all[1]!);
    expect(comparison).toMatchObject({ sameKind: false, runs: [], sayings: [] });
    expect(outcomeInWords(comparison)).toBe('A is a cache report, B a concurrency report: only verdicts and provenance can be compared.');
    expect(sameResults(comparison)).toBe(false);
  });

  it('without a map differ in what they say', () => {
    const gate = all.find((one): one is ReportOf<'gate'> => one.kind === 'gate')!;
    const other = structuredClone(gate);
    const width = other.gate.widths[0]!;
    width.decision = width.decision === 'engage' ? 'decline' : 'engage';
    const comparison = comparisonOf(gate, other);
    expect(sameResults(comparison)).toBe(false);
    expect(comparison.sayings.length).toBeGreaterThan(0);
    expect(outcomeInWords(comparison)).toMatch(/the accounts differ in \d+ place/);
  });

  it('name what differs in how they came to be, whatever its shape', () => {
    const [one] = all;
    const other = structuredClone(one!);
    other.provenance.cpu.cores += 1;
    other.provenance.kernelsA = [...other.provenance.kernelsA, 'zz'];
    const found = differencesOf(one!, other).map(({ group, name }) => `${group}: ${name}`);
    expect(found).toEqual(['Kernels: arm A', 'Provenance: cpu · cores']);
  });
});

describe('the state of the page', () => {
  const files = { a: 'file:///a', b: 'file:///b' };
  const open = (a: Report, b: Report, saved: unknown = null): ShownState => reduce({ screen: 'loading' }, { type: 'compared', saved, message: { type: 'compared', files, a: { type: 'report', report: a, fileName: 'a' }, b: { type: 'report', report: b, fileName: 'b' } } }) as ShownState;

  it('starts at the first divergence, goes on where it was left, and forgets other files', () => {
    const [before, after] = [fixture('before'), fixture('after')];
    const { first } = before.bisect.runs[0]!;
    const state = open(before, after);
    expect(state.view).toMatchObject({ run: 0, cell: { row: first!.row, position: first!.position }, sight: null });
    const moved = reduce(state, { type: 'cell', cell: { row: 3, position: 2 } }) as ShownState;
    expect(open(before, after, { files, view: moved.view }).view).toEqual(moved.view);
    expect(open(before, after, { files: { a: 'x', b: 'y' }, view: moved.view }).view).toEqual(state.view);
    expect(open(before, after, { files, view: { ...moved.view, run: 9, cell: { row: -1, position: 1e9 }, measure: 'none' } }).view).toMatchObject({ run: 0, cell: { row: 0, position: 0 }, measure: 'bytes' });
    expect(open(before, after, { files, view: null }).view).toEqual(state.view);
  });

  it('shows a problem when one of the files has one', () => {
    const problem = { type: 'problem', fileName: 'b', title: 't', detail: 'd', action: 'a' } as const;
    expect(reduce({ screen: 'loading' }, { type: 'compared', saved: null, message: { type: 'compared', files, a: { type: 'report', report: fixture('after'), fileName: 'a' }, b: problem } }).screen).toBe('problem');
  });
});
