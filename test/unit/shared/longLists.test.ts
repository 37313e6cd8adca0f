// Reports whose lists are longer than a call takes arguments, and pairs of reports that have much to be matched.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bisectLines } from '../../../src/cli/bisectTable';
import { accountOf } from '../../../src/shared/account';
import { append } from '../../../src/shared/append';
import { bytesLetters } from '../../../src/shared/account/switches';
import { greatest, least } from '../../../src/shared/extremes';
import { readReport } from '../../../src/shared/reportFile';
import type { Report, ReportOf } from '../../../src/shared/report';
import { sayingsOf } from '../../../src/webview/model/compare/accounts';
import { align } from '../../../src/webview/model/compare/align';
import { pairRuns } from '../../../src/webview/model/compare/pairs';
import type { Grid } from '../../../src/webview/model/grid';
import { mappedRuns, type MappedRun } from '../../../src/webview/model/grids';
import { bisectReport, bisectRun } from '../../view/reports';

const many = 200_000;

function fixture<K extends Report['kind']>(kind: K): ReportOf<K> {
  const read = readReport(readFileSync(path.join(import.meta.dirname, `../../fixtures/reports/${kind}.moire.json`), 'utf8'));
  if (!read.ok || read.report.kind !== kind) throw new Error(`no ${kind} report`);
  return read.report as ReportOf<K>;
}

function quickly<T>(work: () => T): T {
  const start = performance.now();
  const done = work();
  // What went through a list for each entry of it took a minute and more.
  expect(performance.now() - start).toBeLessThan(5000);
  return done;
}

it('extremes of any number of values', () => {
  const values = Array.from({ length: many }, (_, i) => i - 5);
  expect([greatest(values), least(values), greatest([]), least([]), greatest([1, NaN])]).toEqual([many - 6, -5, -Infinity, Infinity, NaN]);
});

it('the account of a sweep of many repeats', () => {
  const report = fixture('widths');
  const { sweep } = report.run;
  if (sweep === undefined) throw new Error('no sweep');
  for (const arm of sweep.arms) Object.assign(arm, { tokensPerSecond: Array<number>(many).fill(50), againstClassic: Array<number>(many).fill(1) });
  expect(accountOf({ ...report, run: { ...report.run, sweep: { ...sweep, open: Array<number>(many).fill(50), close: Array<number>(many).fill(50) } } }).sections.length).toBeGreaterThan(1);
});

it('the account of a parity run of many prompts', () => {
  const { parity, ...rest } = fixture('parity');
  const [prompt] = parity.prompts;
  if (prompt === undefined) throw new Error('no prompt');
  expect(accountOf({ ...rest, parity: { ...parity, prompts: Array.from({ length: many }, () => prompt) } }).sections.length).toBeGreaterThan(1);
});

it('the table of a bisect of many runs', () => {
  const one = bisectRun({ seed: 1, layers: 1, width: 2, first: null });
  expect(bisectLines(bisectReport(Array.from({ length: many }, () => one))).at(-1)).toMatch(/^(Done|Ended)/);
});

it('the account of a rewind with many ways of going back', () => {
  const { rewind, ...rest } = fixture('rewind');
  const how = Array.from({ length: 100_000 }, (_, layer) => ({ layer, how: `way ${layer % 50_000}` }));
  const account = quickly(() => accountOf({ ...rest, rewind: { ...rewind, how } }));
  expect(account.sections.flatMap(({ lines }) => lines).join()).toContain('way 7: layers 7 and 50007; way 8: layers 8 and 50008;');
});

it('runs that are paired by their labels, the rest in order', () => {
  const [run] = mappedRuns(bisectReport([bisectRun({ seed: 1, layers: 1, width: 2, first: null })]));
  if (run === undefined) throw new Error('no run');
  const runs = (label: (i: number) => string): MappedRun[] => Array.from({ length: 60_000 }, (_, i) => ({ ...run, label: label(i) }));
  const [a, b] = [runs((i) => `width ${i >> 1}`), runs((i) => (i < 30_000 ? `other ${i}` : `width ${(i - 30_000) >> 1}`))];
  const { pairs, onlyA, onlyB } = quickly(() => pairRuns(a, b));
  expect([pairs.length, onlyA.length, onlyB.length]).toEqual([60_000, 0, 0]);
  expect(pairs.filter(({ by }) => by === 'label').map((pair) => b.indexOf(pair.b)).slice(0, 3)).toEqual([30_000, 30_001, 30_002]);
  expect(pairs.find(({ by }) => by === 'order')?.b).toBe(b[0]);
});

const grid = (labels: readonly string[], positions: number): Grid => ({
  rows: labels.map((label) => ({ label })),
  positions,
  first: { row: labels.length - 1, position: 0 },
  measures: [{ name: 'taps', label: '', describes: '', scale: 'share', tick: String }],
  values: () => new Float64Array(labels.length * positions),
  boundaries: [],
  holding: () => labels.map((_, row) => row * positions),
  place: () => '',
  about: () => '',
  facts: () => [],
  words: () => '',
}) as unknown as Grid;

it('maps whose rows are matched by their labels', () => {
  const labels = (from: number): string[] => Array.from({ length: 60_000 }, (_, i) => `row ${from + i}`);
  const { a, b, rowsOnlyA, rowsOnlyB } = quickly(() => align(grid(labels(0), 1), grid(labels(30_000), 1)));
  expect([a.rows.length, rowsOnlyA.length, rowsOnlyB.length]).toEqual([90_000, 30_000, 30_000]);
  expect([a.first, b.first]).toEqual([{ row: 59_999, position: 0 }, { row: 89_999, position: 0 }]);
  expect(quickly(() => b.holding('x')).at(0)).toBe(30_000);
});

it('maps that have too little in common to be laid over each other', () => {
  const tall = grid(Array.from({ length: 100_000 }, (_, i) => `row ${i}`), 1);
  const wide = grid(['another'], 100_000);
  expect(align(tall, wide).a.measures).toEqual([]);
});

it('what two accounts say differently, in rows that have one name', () => {
  const { switches, ...rest } = fixture('switches');
  const [one] = switches.combinations;
  if (one === undefined) throw new Error('no combination');
  const report: Report = { ...rest, switches: { ...switches, combinations: Array.from({ length: 30_000 }, () => one) } };
  expect(quickly(() => sayingsOf(report, report))).toEqual([]);
});

it('a list is appended to another', () => {
  const to = [1];
  append(to, Array.from({ length: many }, (_, i) => i));
  expect([to.length, to[0], to[1], to.at(-1)]).toEqual([many + 1, 1, 0, many - 1]);
});

it('letters of a switch matrix in which nearly all combinations have other bytes', () => {
  const combinations = Array.from({ length: 60_000 }, (_, i) => ({ bytes: `bytes ${i % 50_000}` }));
  const letters = quickly(() => {
    const letter = bytesLetters(combinations);
    return combinations.map(({ bytes }) => letter(bytes));
  });
  expect([letters[0], letters[25], letters[26], letters[50_000], new Set(letters).size]).toEqual(['A0', 'Z0', 'A1', 'A0', 50_000]);
  expect(['x', 'y', 'x'].map(bytesLetters([{ bytes: 'x' }, { bytes: 'y' }]))).toEqual(['A', 'B', 'A']);
});

it('the account of a sweep of many arms with many repeats', () => {
  const report = fixture('widths');
  const { sweep } = report.run;
  const [arm] = sweep!.arms;
  const arms = Array.from({ length: 3000 }, (_, i) => ({ ...arm!, name: `arm ${i}`, tokensPerSecond: Array.from({ length: 100 }, () => 20 + (i % 7)) }));
  const account = quickly(() => accountOf({ ...report, run: { ...report.run, sweep: { ...sweep!, arms } } }));
  expect(account.sections.find(({ heading }) => heading === 'Throughput')?.tables[0]?.rows).toHaveLength(3002);
});
