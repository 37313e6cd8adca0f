// Verdicts by length and by switch, as their charts read them.
import { describe, expect, it } from 'vitest';
import type { ParityResult } from '../../../src/shared/results/parity';
import type { Combination, SwitchesResult } from '../../../src/shared/results/switches';
import type { Report } from '../../../src/shared/report';
import type { VerdictWord } from '../../../src/shared/verdict';
import { isBad, lengthChart } from '../../../src/webview/model/lengths';
import { switchMatrix } from '../../../src/webview/model/switchMatrix';
import { random } from '../../view/random';
import { reportOfKind, reports } from '../shared/reports';

const parityOf = (runs: readonly (readonly [length: number, width: number, outcome: 'equal' | 'declined' | 'tie' | 'defect'])[]): Report => {
  const base = reportOfKind('parity');
  const lengths = [...new Set(runs.map(([length]) => length))];
  const parity = {
    ...base.parity,
    prompts: lengths.map((length) => ({ source: 'ids', ids: Array<number>(length).fill(1) })),
    runs: runs.map(([length, width, outcome]) => ({ ...base.parity.runs[0]!, prompt: lengths.indexOf(length), width, outcome: outcome === 'tie' || outcome === 'defect' ? 'differs' : outcome, fork: outcome === 'tie' || outcome === 'defect' ? { ...base.parity.runs[0]!.fork!, word: outcome } : null })),
  } as ParityResult;
  return { ...base, parity };
};

describe('verdicts by length', () => {
  it('name the first bad one, whatever order the runs have', () => {
    const chart = lengthChart(parityOf([[512, 4, 'defect'], [96, 4, 'equal'], [257, 8, 'equal'], [257, 4, 'tie'], [256, 4, 'declined']]))!;
    expect(chart.points.map(({ length, word, run }) => [length, word, run])).toEqual([[96, 'equal', 1], [256, 'declined', 4], [257, 'tie', 3], [512, 'defect', 0]]);
    expect(chart.firstBad).toMatchObject({ length: 257, words: '257 tokens: tie, 1 of 2 runs' });
    expect(chart.title).toBe('Verdict by prompt length');
  });

  it('are by width where all prompts have one length', () => {
    const chart = lengthChart(parityOf([[8, 4, 'equal'], [8, 16, 'equal']]))!;
    expect(chart).toMatchObject({ title: 'Verdict by block width', firstBad: null });
    expect(chart.points.map(({ words }) => words)).toEqual(['4 rows: equal, 1 run', '16 rows: equal, 1 run']);
  });

  it('are no chart of one length, nor of a report without an order', () => {
    expect(lengthChart(parityOf([[8, 4, 'equal'], [8, 4, 'tie']]))).toBeNull();
    for (const report of reports) if (!['bisect', 'prefill', 'parity', 'rewind'].includes(report.kind)) expect(lengthChart(report)).toBeNull();
  });

  it('of a bisect are those of its widths', () => {
    const bisect = reportOfKind('bisect');
    const chart = lengthChart(bisect)!;
    const widths = [...new Set(bisect.bisect.runs.map(({ width }) => width))].sort((a, b) => a - b);
    expect(chart.points.map(({ length }) => length)).toEqual(widths);
    expect(chart.firstBad?.length).toBe(widths.find((width) => bisect.bisect.runs.some((run) => run.width === width && isBad(run.verdict.word))));
  });

  it('of a rewind audit are by the rows that it drops', () => {
    const rewind = reportOfKind('rewind');
    const chart = lengthChart(rewind)!;
    expect(chart.points.map(({ length, word, run }) => [length, word, run])).toEqual([[2, 'defect', null], [3, 'equal', null]]);
    expect(chart.firstBad?.words).toBe('2 rows: defect, 1 rewind');
  });

  it('have each length once and ascending, each with the gravest verdict of its runs, for random runs', () => {
    const r = random(17);
    const outcomes = ['equal', 'declined', 'tie', 'defect'] as const;
    for (let i = 0; i < 60; i++) {
      const runs = Array.from({ length: r.whole(2, 20) }, () => [r.whole(1, 6), 4, outcomes[r.whole(0, 3)]!] as const);
      const chart = lengthChart(parityOf(runs));
      if (chart === null) continue;
      const has = (length: number, word: VerdictWord): boolean => runs.some((run) => run[0] === length && run[2] === word);
      for (const { length, word } of chart.points) expect(word).toBe((['defect', 'declined', 'tie', 'equal'] as const).find((one) => has(length, one)));
      const bad = runs.filter(([, , word]) => isBad(word)).map(([length]) => length);
      const hidden = chart.points.filter(({ word }) => word === 'declined').map(({ length }) => length);
      const visible = bad.filter((length) => !hidden.includes(length));
      expect(chart.firstBad?.length).toBe(visible.length === 0 ? undefined : Math.min(...visible));
    }
  });
});

const combination = (switches: Combination['switches'], word: VerdictWord, bytes: string): Combination => ({ switches, verdict: { word, sentence: `${word}.` }, complete: true, bytes, counters: '' });
const control = (name: string, values: string[]): SwitchesResult['controls'][number] => ({ name, values, live: 'bytes', evidence: '', decides: false });

describe('a switch matrix', () => {
  it('of one switch has a row a value', () => {
    const { across, columns, rows, firstBad } = switchMatrix({ probe: 'gate', controls: [control('matmul', ['auto', 'exact'])], combinations: [combination({ matmul: 'auto' }, 'equal', 'x'), combination({ matmul: 'exact' }, 'declined', 'y')] });
    expect([across, columns, rows.map(({ label, cells }) => [label, cells.map((cell) => [cell!.letter, cell!.combination.verdict.word])])]).toEqual(['', [''], [['matmul=auto', [['A', 'equal']]], ['matmul=exact', [['B', 'declined']]]]]);
    expect(firstBad).toBeNull();
  });

  it('of several has the last across, holes where one did not run, and its first bad combination', () => {
    const all = [combination({ a: 1, b: 'x', c: 1 }, 'equal', 'p'), combination({ a: 1, b: 'x', c: 2 }, 'drift', 'q'), combination({ a: 1, b: 'y', c: 1 }, 'defect', 'p')];
    const { across, columns, rows, firstBad } = switchMatrix({ probe: 'replay', controls: [control('a', ['1']), control('b', ['x', 'y']), control('c', ['1', '2'])], combinations: all });
    expect([across, columns, rows.map(({ label }) => label)]).toEqual(['c', ['1', '2'], ['a=1, b=x', 'a=1, b=y']]);
    expect(rows.map(({ cells }) => cells.map((cell) => cell && [cell.combination.verdict.word, cell.letter, cell.isFirstBad]))).toEqual([[['equal', 'A', false], ['drift', 'B', true]], [['defect', 'A', false], null]]);
    expect(firstBad).toBe(all[1]);
  });
});
