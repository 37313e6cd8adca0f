import { describe, expect, it } from 'vitest';
import { noHistory, stepped, stepsKept, together, wentBack, wentForward, type History } from '../../../src/webview/model/history';
import type { Selection } from '../../../src/shared/viewProtocol';
import { mappedRuns } from '../../../src/webview/model/grids';
import { reduce, type Action, type ReportState, type State } from '../../../src/webview/store';
import { random } from '../../view/random';
import { bisectReport, bisectRun, sampleReport } from '../../view/reports';

describe('a history', () => {
  it('goes back and forward over single steps, and a new step ends the way forward', () => {
    let history: History<string> = stepped(stepped<string>(noHistory, 'a', 0, false), 'b', 10, false);
    const back = wentBack(history, 'c')!;
    expect(back.place).toBe('b');
    expect(wentBack(back.history, 'b')!.place).toBe('a');
    expect(wentForward(back.history, 'b')).toMatchObject({ place: 'c', history: { past: ['a', 'b'], future: [] } });
    history = stepped(back.history, 'b', 20, false);
    expect(history.future).toEqual([]);
    expect(wentForward(history, 'd')).toBeNull();
    expect(wentBack(noHistory as History<string>, 'x')).toBeNull();
  });

  it('takes what runs together as one step, and only that', () => {
    const pan = (history: History<string>, left: string, at: number): History<string> => stepped(history, left, at, true);
    let history = pan(pan(pan(noHistory, 'a', 0), 'b', 100), 'c', 100 + together - 1);
    expect(history.past).toEqual(['a']);
    history = pan(history, 'd', 100 + 2 * together);
    expect(history.past).toEqual(['a', 'd']);
    history = pan(stepped(history, 'e', 1500, false), 'f', 1510);
    expect(history.past).toEqual(['a', 'd', 'e', 'f']);
    // After a step back a pan is a step of its own.
    expect(pan(wentBack(history, 'g')!.history, 'f', 1511).past).toEqual(['a', 'd', 'e', 'f']);
  });

  it('keeps the last 200 steps', () => {
    let history = noHistory as History<number>;
    for (let i = 0; i < stepsKept + 50; i++) history = stepped(history, i, i, false);
    expect([history.past.length, history.past[0], history.past.at(-1)]).toEqual([200, 50, 249]);
  });
});

const report = sampleReport();
const open = (): ReportState => reduce({ screen: 'loading' }, { type: 'opened', report, fileName: 'a.moire.json', saved: null }) as ReportState;

describe('where one looks in a report', () => {
  it('comes again step by step: run, cell, tap, measure, sight', () => {
    const r = random(3);
    let state = open();
    const tapsHere = ({ run, row, position }: Selection): readonly number[] => mappedRuns(report)[run]!.taps({ row, position });
    const choices: (() => Action)[] = [
      () => ({ type: 'run', run: r.whole(0, report.bisect.runs.length) }),
      () => ({ type: 'cell', cell: { row: r.whole(0, 8), position: r.whole(0, 2) } }),
      () => ({ type: 'measure', measure: r.pick(['bytes', 'maxUlp', 'argmax'] as const) }),
      () => ({ type: 'look', sight: { rows: { from: r.whole(0, 3), size: 5 }, positions: { from: 0, size: 16 } } }),
      () => ({ type: 'tap', tap: tapsHere(state.view.selection).length === 0 ? -1 : r.pick(tapsHere(state.view.selection)) }),
    ];
    const seen = [state.view];
    for (let i = 0; i < 150; i++) {
      const next = reduce(state, r.pick(choices)(), i * 10_000) as ReportState;
      if (next.history !== state.history) seen.push(next.view);
      state = next;
    }
    expect(seen.length).toBeGreaterThan(60);
    for (const view of seen.slice(0, -1).reverse()) {
      state = reduce(state, { type: 'back' }) as ReportState;
      expect([state.view.selection, state.view.sight]).toEqual([view.selection, view.sight]);
    }
    expect(reduce(state, { type: 'back' })).toBe(state);
    for (const view of seen.slice(1)) {
      state = reduce(state, { type: 'forward' }) as ReportState;
      expect(state.view.selection).toEqual(view.selection);
    }
    expect(reduce(state, { type: 'forward' })).toBe(state);
  });

  it('makes no step of what is arranged, folded or scrolled, nor of a sight that stays', () => {
    const state = open();
    for (const action of [{ type: 'scrolled', scroll: 40 }, { type: 'section', name: 'x', open: true }, { type: 'arrange', arrangement: { filter: 'q' } }] as const) {
      expect((reduce(state, action) as ReportState).history).toBe(state.history);
    }
    const whole = { rows: { from: 0, size: 100 }, positions: { from: 0, size: 1e6 } };
    expect((reduce(state, { type: 'look', sight: whole }) as ReportState).history.past).toEqual([]);
  });

  it('is one step for a crumb that changes cell and sight', () => {
    const state = open();
    const went = reduce(state, { type: 'goTo', cell: { row: 2, position: 1 }, sight: { rows: { from: 1, size: 4 }, positions: { from: 0, size: 4 } } }) as ReportState;
    expect(went.view).toMatchObject({ selection: { row: 2, position: 1 }, sight: { rows: { from: 1, size: 4 } } });
    expect((reduce(went, { type: 'back' }) as ReportState).view).toEqual(state.view);
  });

  it('lies in the report that is there now', () => {
    const key = { fileName: 'a.moire.json', saved: null } as const;
    let state: State = reduce(open(), { type: 'run', run: 4 });
    state = reduce(state, { type: 'run', run: 1 });
    const smaller = { ...bisectReport([bisectRun({ seed: 1, layers: 2, width: 2, first: null })]), run: report.run, verdict: report.verdict };
    state = reduce(reduce(state, { type: 'opened', report: smaller, ...key }), { type: 'back' });
    expect((state as ReportState).view.selection).toMatchObject({ run: 0, position: 0 });
  });

  it('is not kept with what is looked at', () => {
    expect(Object.keys((reduce(open(), { type: 'run', run: 1 }) as ReportState).view)).not.toContain('history');
  });
});
