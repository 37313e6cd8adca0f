import { describe, expect, it } from 'vitest';
import { indexOf, tapsOfCell } from '../../../src/webview/model/runIndex';
import { reduce, reportKey, type Action, type ReportState, type State } from '../../../src/webview/store';
import { bisectReport, bisectRun, diffReport, sampleReport } from '../../view/reports';

const loading: State = { screen: 'loading' };
const report = sampleReport();
const open = (saved: unknown = null, before: State = loading): ReportState => reduce(before, { type: 'opened', report, fileName: 'a.moire.json', saved }) as ReportState;
const then = (state: ReportState, ...actions: Action[]): ReportState => actions.reduce<State>(reduce, state) as ReportState;

describe('opening a report', () => {
  it('starts at the first divergence of the gravest run', () => {
    const { selection } = open().view;
    const run = report.bisect.runs[selection.run]!;
    expect(run.verdict.word).toBe('tie');
    expect(selection).toMatchObject({ run: 3, row: run.first!.row, position: run.first!.position, measure: 'bytes' });
    expect(run.differing.tap[selection.tap]).toBe(run.first!.tap);
  });

  it('starts at the first cell when all is equal, and lives without runs', () => {
    const equal = reduce(loading, { type: 'opened', report: bisectReport([bisectRun({ seed: 1, layers: 2, width: 2, first: null })]), fileName: 'b', saved: null }) as ReportState;
    expect(equal.view.selection).toEqual({ run: 0, row: 0, position: 0, tap: -1, measure: 'bytes' });
    const none = reduce(loading, { type: 'opened', report: bisectReport([]), fileName: 'c', saved: null }) as ReportState;
    expect(none.view.selection.tap).toBe(-1);
  });

  it('goes on where the same report was left', () => {
    const left = then(open(), { type: 'run', run: 2 }, { type: 'measure', measure: 'relL2' }, { type: 'scrolled', scroll: 321 });
    const saved: unknown = JSON.parse(JSON.stringify({ key: reportKey(report, 'a.moire.json'), view: left.view }));
    expect(open(saved).view).toEqual(left.view);
    expect(open(null, left).view).toEqual(left.view);
  });

  it('forgets another report, and a selection that points outside', () => {
    const left = then(open(), { type: 'run', run: 2 });
    expect(open({ key: 'other', view: left.view }).view.selection.run).toBe(3);
    const outside = { ...left.view, selection: { ...left.view.selection, run: 99, row: -4, position: 1e9, tap: 7.5 } };
    const { selection } = open({ key: reportKey(report, 'a.moire.json'), view: outside }).view;
    expect(selection).toMatchObject({ run: 0, row: 0, position: 0, tap: -1 });
  });
});

describe('a run under way', () => {
  const progress = { text: 'token 2 of 8', done: 2, total: 8 };
  const early: typeof report = { ...report, complete: false, verdict: { word: 'equal', sentence: '' }, bisect: { runs: report.bisect.runs.slice(0, 1) } };
  const begun = (): ReportState => reduce({ screen: 'running', fileName: 'a.moire.json', title: 'Bisect', progress }, { type: 'opened', report: early, fileName: 'a.moire.json', running: progress, saved: null }) as ReportState;

  it('tells how far it is, until it is over', () => {
    const waiting = reduce(loading, { type: 'running', fileName: 'a', title: 'Bisect', progress });
    expect(reduce(waiting, { type: 'progress', progress: { ...progress, done: 3 } })).toMatchObject({ screen: 'running', progress: { done: 3 } });
    expect(then(begun(), { type: 'progress', progress: { ...progress, done: 4 } }).running?.done).toBe(4);
    const over = open(null, begun());
    expect(over.running).toBe(null);
    expect(reduce(over, { type: 'progress', progress })).toBe(over);
    expect(reduce(loading, { type: 'progress', progress })).toBe(loading);
  });

  it('goes to the first divergence when there is one, unless the user looks elsewhere', () => {
    expect(open(null, begun()).view.selection).toEqual(open().view.selection);
    const elsewhere = then(begun(), { type: 'cell', cell: { row: 1, position: 1 } });
    expect(open(null, elsewhere).view.selection).toMatchObject({ run: 0, row: 1, position: 1 });
  });
});

describe('looking', () => {
  it('a run starts at its own first divergence', () => {
    const { selection } = then(open(), { type: 'run', run: 4 }).view;
    const { first } = report.bisect.runs[4]!;
    expect(selection).toMatchObject({ run: 4, row: first!.row, position: first!.position });
  });

  it('a cell starts at its first differing tap', () => {
    const { selection } = then(open(), { type: 'cell', cell: { row: 5, position: 6 } }).view;
    expect(selection.tap).toBe(tapsOfCell(indexOf(report.bisect.runs[3]!), 5, 6)[0] ?? -1);
    expect(then(open(), { type: 'cell', cell: { row: 0, position: 0 } }).view.selection.tap).toBe(-1);
  });

  it('gives the same state when nothing changes', () => {
    const state = open();
    expect(reduce(state, { type: 'measure', measure: 'bytes' })).toBe(state);
    expect(reduce(state, { type: 'run', run: 42 })).toBe(state);
    expect(reduce(loading, { type: 'tap', tap: 1 })).toBe(loading);
  });

  it('arranges a diff without a selection', () => {
    const diff = reduce(loading, { type: 'opened', report: diffReport(), fileName: 'd', saved: null }) as ReportState;
    const arranged = then(diff, { type: 'arrange', arrangement: { sort: 'name', descending: false } }, { type: 'cell', cell: { row: 1, position: 1 } });
    expect(arranged.view.arrangement).toMatchObject({ sort: 'name', descending: false, onlyDiffering: false });
    expect(arranged.view.selection).toEqual(diff.view.selection);
  });
});
