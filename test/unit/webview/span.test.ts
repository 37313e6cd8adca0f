import { describe, expect, it } from 'vitest';
import { fitted, following, keptSight, moved, wholeSight, zoomed, type Span } from '../../../src/webview/model/span';
import { random } from '../../view/random';

const lies = ({ from, size }: Span, count: number): boolean => Number.isInteger(from) && Number.isInteger(size) && from >= 0 && size >= Math.min(4, count) && from + size <= count;

describe('a span', () => {
  it('lies in its axis whatever was done to it', () => {
    const r = random(11);
    for (let i = 0; i < 300; i++) {
      const count = r.whole(1, 12_000);
      let span: Span = { from: 0, size: count };
      for (let step = 0; step < 20; step++) {
        span = r.pick([
          () => zoomed(span, r.pick([0.3, 0.97, 1.03, 5]), r.next(), count),
          () => moved(span, (r.next() - 0.5) * 3 * count, count),
          () => fitted({ from: (r.next() - 0.5) * 3 * count, size: r.next() * 2 * count }, count),
          () => following(span, r.whole(0, count)),
        ])();
        expect(lies(span, count), `case ${i}, step ${step}: ${JSON.stringify(span)} of ${count}`).toBe(true);
      }
    }
  });

  it('keeps what is pointed at in its place', () => {
    expect(zoomed({ from: 0, size: 1000 }, 0.5, 0.25, 1000)).toEqual({ from: 125, size: 500 });
    expect(zoomed({ from: 125, size: 500 }, 2, 0.25, 1000)).toEqual({ from: 0, size: 1000 });
    expect(zoomed({ from: 400, size: 100 }, 0.5, 0, 1000)).toEqual({ from: 400, size: 50 });
    expect(zoomed({ from: 400, size: 100 }, 0.5, 1, 1000)).toEqual({ from: 450, size: 50 });
  });

  it('is another after the smallest step, until the ends', () => {
    expect(zoomed({ from: 10, size: 5 }, 0.99, 0.5, 100).size).toBe(4);
    expect(zoomed({ from: 10, size: 4 }, 0.99, 0.5, 100).size).toBe(4);
    expect(zoomed({ from: 10, size: 5 }, 1.01, 0.5, 100).size).toBe(6);
    expect(zoomed({ from: 0, size: 100 }, 1.01, 0.5, 100)).toEqual({ from: 0, size: 100 });
  });

  it('follows a cell by no more than it has to', () => {
    const span = { from: 10, size: 5 };
    expect(following(span, 14)).toBe(span);
    expect(following(span, 15)).toEqual({ from: 11, size: 5 });
    expect(following(span, 3)).toEqual({ from: 3, size: 5 });
  });
});

describe('a sight that was kept', () => {
  it('is none where all of the map is in sight', () => {
    expect(keptSight(wholeSight(5, 100), 5, 100)).toBeNull();
    expect(keptSight(wholeSight(9, 4000), 5, 100)).toBeNull();
    expect(keptSight(null, 5, 100)).toBeNull();
  });

  it('is brought into a smaller map', () => {
    expect(keptSight({ rows: { from: 0, size: 5 }, positions: { from: 900, size: 50 } }, 5, 100)).toEqual({ rows: { from: 0, size: 5 }, positions: { from: 50, size: 50 } });
  });
});
