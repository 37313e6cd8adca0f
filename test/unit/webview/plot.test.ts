import { describe, expect, it } from 'vitest';
import { binsOf, cellAt, gravestCell, plotOf, sightBetween, tickEvery, ticksOf } from '../../../src/webview/model/plot';
import { random } from '../../view/random';

describe('bins', () => {
  it('cover every pixel and every cell, without gaps, at any size', () => {
    const r = random(2);
    for (let i = 0; i < 200; i++) {
      const cells = r.whole(1, 3000);
      const length = r.whole(1, 2000);
      const from = r.whole(0, 500);
      const bins = binsOf({ from, size: cells }, length);
      expect(bins[0]).toMatchObject({ from: 0, first: from });
      expect(bins.at(-1)).toMatchObject({ to: length, last: from + cells });
      const wrong = bins.slice(1).filter((bin, at) => bin.from !== bins[at]!.to || bin.first > bins[at]!.last || bin.last <= bin.first);
      expect(wrong).toEqual([]);
    }
  });

  it('merge by maximum: one differing cell of 10,240 is in some bin', () => {
    const values = new Float64Array(10_240);
    for (const cell of [0, 1, 4711, 10_239]) {
      values.fill(0);
      values[cell] = 1e-9;
      const row = { first: 0, last: 1 };
      const hit = binsOf({ from: 0, size: 10_240 }, 600).map((bin) => gravestCell(values, 10_240, row, bin));
      expect(hit.filter(({ value }) => value > 0).length).toBeGreaterThan(0);
      expect(hit.find(({ value }) => value > 0)?.cell).toEqual({ row: 0, position: cell });
    }
  });
});

describe('the cell under a point', () => {
  it('is the one whose box holds the point', () => {
    const plot = plotOf(10, 8, { width: 400, maxHeight: 560 });
    const values = new Float64Array(80);
    for (let row = 0; row < 10; row++) {
      for (let position = 0; position < 8; position++) {
        expect(cellAt(plot, values, 8, (position + 0.5) * plot.cellWidth, (row + 0.5) * plot.cellHeight)).toEqual({ row, position });
      }
    }
    expect(cellAt(plot, values, 8, -1, 5)).toBeNull();
    expect(cellAt(plot, values, 8, plot.width, 5)).toBeNull();
  });

  it('is the gravest where cells share a pixel', () => {
    const plot = plotOf(2, 2000, { width: 200, maxHeight: 560 });
    const values = new Float64Array(4000);
    values[2000 + 1007] = 3;
    expect(cellAt(plot, values, 2000, 100, plot.cellHeight * 1.5)).toEqual({ row: 1, position: 1007 });
  });
});

describe('a part of the map', () => {
  const sight = { rows: { from: 3, size: 4 }, positions: { from: 100, size: 50 } };
  const plot = plotOf(10, 8000, { width: 500, maxHeight: 560 }, sight);

  it('fills the plot of the whole', () => {
    const whole = plotOf(10, 8000, { width: 500, maxHeight: 560 });
    expect([plot.width, plot.height]).toEqual([whole.width, whole.height]);
    expect([plot.cellWidth, plot.cellHeight]).toEqual([10, whole.height / 4]);
  });

  it('has its own cells under the pointer', () => {
    const values = new Float64Array(80_000);
    expect(cellAt(plot, values, 8000, 0, 0)).toEqual({ row: 3, position: 100 });
    expect(cellAt(plot, values, 8000, 499, plot.height - 1)).toEqual({ row: 6, position: 149 });
  });

  it('is brushed in any direction', () => {
    const [a, b] = [{ x: 105, y: 5 }, { x: 12, y: plot.cellHeight * 1.5 }];
    expect(sightBetween(plot, a, b)).toEqual({ rows: { from: 3, size: 2 }, positions: { from: 101, size: 10 } });
    expect(sightBetween(plot, b, a)).toEqual(sightBetween(plot, a, b));
    expect(sightBetween(plot, { x: -50, y: -50 }, { x: 5000, y: 5000 })).toEqual(sight);
  });
});

describe('ticks', () => {
  it('keep their distance in steps of 1, 2, 5', () => {
    expect(tickEvery(40, 12)).toBe(1);
    expect(tickEvery(8, 25)).toBe(5);
    expect(tickEvery(0.05, 40)).toBe(1000);
    expect(ticksOf({ from: 0, size: 11 }, 5)).toEqual([0, 5, 10]);
    expect(ticksOf({ from: 11, size: 14 }, 5)).toEqual([15, 20]);
    expect(ticksOf({ from: 11, size: 3 }, 5)).toEqual([]);
  });

  it('end where places have no size, or labels no room', () => {
    for (const size of [0, -1, NaN]) expect(tickEvery(size, 12)).toBe(Infinity);
    for (const room of [NaN, Infinity]) expect(tickEvery(40, room)).toBe(Infinity);
    expect(tickEvery(Infinity, 12)).toBe(1);
    expect(tickEvery(5e-324, 12)).toBe(Infinity);
    expect(ticksOf({ from: 0, size: 11 }, Infinity)).toEqual([]);
  });
});
