import { describe, expect, it } from 'vitest';
import { bisectGrid, bisectMeasures } from '../../../src/webview/model/bisectGrid';
import { level, levelsOf, logScale, notCompared, otherChoice, sameChoice } from '../../../src/webview/model/measures';
import { percent, ranges } from '../../../src/webview/model/numbers';
import { bisectRun, randomReport } from '../../view/reports';

const first = { layer: 1, tap: 'q_proj', position: 1 };
const parted = (): ReturnType<typeof bisectRun> => bisectRun({ seed: 3, layers: 8, width: 8, first: { ...first, tap: 'in_proj_qkv' }, otherChoices: 2 });

const shares = { scale: 'share' } as const;
const logs = { scale: 'log' } as const;

describe('cell values', () => {
  it.each(bisectMeasures.map(({ name }) => name))('%s is above 0 exactly where bytes differ', (measure) => {
    for (let seed = 1; seed <= 20; seed++) {
      const [run] = randomReport(seed).bisect.runs;
      expect([...bisectGrid(run!).values(measure)].map((value) => value > 0)).toEqual(run!.cells.differingBytes.map((bytes) => bytes > 0));
    }
  });

  it('keeps a difference of nothing but the sign of zero', () => {
    const run = parted();
    const cell = run.cells.differingBytes.findIndex((bytes) => bytes > 0);
    run.cells.maxUlp[cell] = 0;
    run.cells.relL2[cell] = 0;
    expect(bisectGrid(run).values('maxUlp')[cell]).toBeGreaterThan(0);
    expect(bisectGrid(run).values('relL2')[cell]).toBeGreaterThan(0);
  });

  it('takes NaN and infinity as the gravest', () => {
    const run = parted();
    const cell = run.cells.differingBytes.findIndex((bytes) => bytes > 0);
    run.cells.relL2[cell] = 'NaN';
    const values = bisectGrid(run).values('relL2');
    expect(values[cell]).toBe(Infinity);
    expect(logScale(values, logs).at(Infinity)).toBe(1);
  });

  it('tells a row that was not compared from one that is equal', () => {
    const run = parted();
    run.cells.rowBytes[0] = 0;
    const values = bisectGrid(run).values('bytes');
    expect([...values.subarray(0, 8)]).toEqual(Array(8).fill(notCompared));
  });

  it('shows the choice of the position', () => {
    const run = parted();
    const head = run.rows.length - 1;
    const values = bisectGrid(run).values('argmax');
    const expected = run.logits.argmaxA.map((a, p) => (run.cells.differingBytes[head * 8 + p] === 0 ? 0 : a === run.logits.argmaxB[p] ? sameChoice : otherChoice));
    expect([...values.subarray(head * 8)]).toEqual(expected);
    expect(expected).toContain(otherChoice);
  });
});

describe('the log scale', () => {
  it('spans whole decades around what differs and ends at 100 % for shares', () => {
    const scale = logScale(Float64Array.of(0, 0.0003, 0.02, -1), shares);
    expect([scale.low, scale.high]).toEqual([1e-4, 1]);
    expect(scale.at(1e-4)).toBeCloseTo(0);
    expect(scale.at(1e-2)).toBeCloseTo(0.5);
    expect(scale.at(1)).toBeCloseTo(1);
    expect(scale.ticks).toHaveLength(5);
  });

  it('is never narrower than a decade, whatever the values', () => {
    for (const values of [[], [0], [1], [0.3], [1e-300, Infinity], [7, 7]]) {
      for (const measure of bisectMeasures) {
        const scale = logScale(Float64Array.from(values), measure);
        expect(scale.high / scale.low).toBeGreaterThan(9.99);
        expect(scale.ticks.length).toBeGreaterThan(1);
        expect(scale.ticks.length).toBeLessThan(9);
      }
    }
  });

  it('never falls', () => {
    const scale = logScale(Float64Array.of(1e-6, 0.5), logs);
    const at = [1e-12, 1e-6, 1e-5, 0.01, 0.5, 9].map(scale.at);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
  });
});

describe('colours', () => {
  it.each(bisectMeasures)('of $name part what differs from what is equal, and never fall', (measure) => {
    for (let seed = 1; seed <= 20; seed++) {
      const values = bisectGrid(randomReport(seed).bisect.runs[0]!).values(measure.name);
      const levels = levelsOf(values, measure, logScale(values, measure), 64);
      expect([...levels].map((one) => one >= level.differs)).toEqual([...values].map((value) => value > 0));
      const order = [...values.keys()].toSorted((a, b) => values[a]! - values[b]!).map((cell) => levels[cell]!);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(Math.max(...levels)).toBeLessThan(level.differs + 64);
    }
  });
});

describe('numbers', () => {
  it('never calls almost all 100 %', () => {
    expect(percent(1)).toBe('100 %');
    expect(percent(0.99999)).toBe('> 99.9 %');
    expect(percent(0.9994)).toBe('99.9 %');
    expect(percent(0)).toBe('0 %');
    expect(percent(1e-9)).toBe('1e-7 %');
  });

  it('joins neighbours', () => {
    expect(ranges([4, 0, 1, 2, 6, 5, 9, 1])).toBe('0-2, 4-6, 9');
    expect(ranges([])).toBe('');
  });
});
